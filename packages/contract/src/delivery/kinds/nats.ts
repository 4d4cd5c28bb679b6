import { z } from 'zod';
import { brokerFields, brokerOf, brokerSecrets, brokerSettings, HOST, hostName, PORT, port, senderKind } from './kind.ts';

/** Tokens of a subject, without wildcards and empty ones. */
const subject = z
  .string()
  .trim()
  .max(512)
  .regex(/^[^\s.*>$][^\s.*>]*(?:\.[^\s.*>]+)*$/);

/** NATS JetStream: one message an item, confirmed by the stream that stores it. */
export const nats = senderKind({
  name: { en: 'NATS JetStream', zh: 'NATS JetStream' },
  about: {
    en: 'Each item is one message that a stream must store; the stream recognizes repetitions by Nats-Msg-Id.',
    zh: '每项为一条须由流存储的消息，流通过 Nats-Msg-Id 识别重复。',
  },
  settings: z.object({ host: hostName, port, ...brokerSettings, subject }),
  secrets: z.object(brokerSecrets),
  fields: {
    host: HOST,
    port: PORT,
    ...brokerFields,
    subject: {
      label: { en: 'NATS Subject', zh: 'NATS 主题' },
      help: {
        en: '{kind} is replaced by readings, events, commands or assets, and {meter} by the serial number of the device. A stream must take these subjects.',
        zh: '{kind} 替换为 readings、events、commands 或 assets，{meter} 替换为设备编号；须有流接收这些主题。',
      },
      control: 'code',
      isRequired: true,
    },
  },
  start: { host: '', port: 4222, isEncrypted: true, ca: '', username: '', subject: 'hes.{kind}.{meter}' },
  target: ({ host, port: at, isEncrypted, subject: to }) => `${isEncrypted ? 'tls' : 'nats'}://${host}:${at} ${to}`,
  receiver: (settings) => brokerOf(`${settings.host}:${settings.port}`, settings),
});
