import { z } from 'zod';
import { brokerFields, brokerOf, brokerSecrets, brokerSettings, HOST, hostName, PORT, port, senderKind } from './kind.ts';

/** Characters of the names of topics; `{kind}` is the only placeholder, since the meter is the key. */
const topic = z
  .string()
  .trim()
  .max(249)
  .regex(/^(?:[A-Za-z0-9._-]|\{kind\})+$/);

/** Further brokers that the cluster can be found by, `host:port` each, separated by commas, spaces or lines. */
const otherBrokers = z
  .string()
  .trim()
  .max(1024)
  .regex(/^(?:[A-Za-z0-9._-]+:\d{1,5}(?:[,\s]+|$))*$/)
  .default('');

interface KafkaBroker {
  host: string;
  port: number;
}

/** The brokers that the cluster can be found by, the one of its own fields first. */
export const bootstrapBrokers = (settings: KafkaBroker & { otherBrokers: string }): KafkaBroker[] => [
  { host: settings.host, port: settings.port },
  ...settings.otherBrokers
    .split(/[,\s]+/)
    .filter((text) => text !== '')
    .map((text) => ({ host: text.slice(0, text.lastIndexOf(':')), port: Number(text.slice(text.lastIndexOf(':') + 1)) })),
];

/** How user and password are given to the cluster: SASL mechanisms by their registered names. */
export const KAFKA_MECHANISMS = ['SCRAM-SHA-512', 'SCRAM-SHA-256', 'PLAIN'] as const;
export type KafkaMechanism = (typeof KAFKA_MECHANISMS)[number];
const asShown = (name: KafkaMechanism) => ({ en: name, zh: name });

/** Apache Kafka: one record an item, with the meter as key, confirmed by all replicas that are in sync. */
export const kafka = senderKind({
  name: { en: 'Apache Kafka', zh: 'Apache Kafka' },
  about: {
    en: 'Each item is one record with the serial number as key, so those of one meter keep their order. All in-sync replicas must confirm it.',
    zh: '每项为一条以设备编号为键的记录，同一电表的记录保持顺序；须由全部同步副本确认。',
  },
  settings: z.object({
    host: hostName,
    port,
    otherBrokers,
    ...brokerSettings,
    mechanism: z.enum(KAFKA_MECHANISMS).default('SCRAM-SHA-512'),
    topic,
  }),
  secrets: z.object(brokerSecrets),
  fields: {
    host: HOST,
    port: PORT,
    otherBrokers: {
      label: { en: 'Other brokers', zh: '其他代理' },
      help: {
        en: 'host:port of further brokers of the cluster, asked if the first one does not answer.',
        zh: '集群其他代理的 主机:端口，首个无应答时使用。',
      },
      control: 'code',
    },
    ...brokerFields,
    mechanism: {
      label: { en: 'SASL Mechanism', zh: 'SASL 机制' },
      help: { en: 'Used if a user is entered.', zh: '填写用户时使用。' },
      control: { 'SCRAM-SHA-512': asShown('SCRAM-SHA-512'), 'SCRAM-SHA-256': asShown('SCRAM-SHA-256'), PLAIN: asShown('PLAIN') },
    },
    topic: {
      label: { en: 'Kafka Topic', zh: 'Kafka 主题' },
      help: {
        en: '{kind} is replaced by readings, events, commands or assets. The topics must exist; the test writes to the one of {kind} = test.',
        zh: '{kind} 替换为 readings、events、commands 或 assets；主题须已存在，测试写入 {kind} 为 test 的主题。',
      },
      control: 'code',
      isRequired: true,
    },
  },
  start: {
    host: '',
    port: 9093,
    otherBrokers: '',
    isEncrypted: true,
    ca: '',
    username: '',
    mechanism: 'SCRAM-SHA-512',
    topic: 'hes.{kind}',
  },
  target: ({ host, port: at, isEncrypted, topic: to }) => `${isEncrypted ? 'kafka+tls' : 'kafka'}://${host}:${at} ${to}`,
  // PLAIN hands the password over; a change from SCRAM must not do so with one that was entered before.
  receiver: ({ mechanism, ...settings }) => {
    const brokers = bootstrapBrokers(settings).map(({ host, port: at }) => `${host}:${at}`);
    return `${brokerOf(brokers.join(','), settings)} ${mechanism}`;
  },
});
