import { z } from 'zod';
import { brokerFields, brokerOf, brokerSecrets, brokerSettings, HOST, hostName, PORT, port, senderKind } from './kind.ts';

/** Wildcards belong to subscriptions, and a topic that begins with `$` belongs to the broker (MQTT 5, 4.7). */
const topic = z
  .string()
  .trim()
  .max(1024)
  .regex(/^[^$#+\p{Cc}][^#+\p{Cc}]*$/u);
const MAX_EXPIRY_S = 31_536_000;
const DEFAULT_EXPIRY_S = 604_800;

/** MQTT 5 with QoS 1: one message an item, as CloudEvent in structured mode. */
export const mqtt = senderKind({
  name: { en: 'MQTT 5', zh: 'MQTT 5' },
  about: {
    en: 'Each item is one message with QoS 1; those of one meter keep their order.',
    zh: '每项为一条 QoS 1 消息，同一电表的消息保持顺序。',
  },
  settings: z.object({
    host: hostName,
    port,
    ...brokerSettings,
    topic,
    /** Seconds after which the broker discards a message that was not fetched; 0: never. */
    expirySeconds: z.number().int().min(0).max(MAX_EXPIRY_S).default(DEFAULT_EXPIRY_S),
  }),
  secrets: z.object(brokerSecrets),
  fields: {
    host: HOST,
    port: PORT,
    ...brokerFields,
    topic: {
      label: { en: 'Topic', zh: '主题' },
      help: {
        en: '{kind} is replaced by readings, events, commands or assets, and {meter} by the serial number of the device.',
        zh: '{kind} 替换为 readings、events、commands 或 assets，{meter} 替换为设备编号。',
      },
      control: 'code',
      isRequired: true,
    },
    expirySeconds: {
      label: { en: 'Message Expiry (s)', zh: '消息有效期（秒）' },
      help: { en: '0: messages do not expire.', zh: '0 表示永不过期。' },
      control: 'number',
    },
  },
  start: { host: '', port: 8883, isEncrypted: true, ca: '', username: '', topic: 'hes/{kind}/{meter}', expirySeconds: DEFAULT_EXPIRY_S },
  target: ({ host, port: at, isEncrypted, topic: to }) => `${isEncrypted ? 'mqtts' : 'mqtt'}://${host}:${at} ${to}`,
  receiver: (settings) => brokerOf(`${settings.host}:${settings.port}`, settings),
});
