import type { SenderKindName } from '@hes/contract/delivery/kinds/every-kind.ts';
import type { AnyImplementation } from './kind.ts';
import { kafkaSender } from './kafka/sender.ts';
import { mqttSender } from './mqtt/sender.ts';
import { folderSender } from './folder/sender.ts';
import { natsSender } from './nats/sender.ts';
import { sftpSender } from './sftp/sender.ts';
import { webhookSender } from './webhook/sender.ts';

/** The implementations of the kinds that the contract declares. */
export const SENDERS: Record<SenderKindName, AnyImplementation> = {
  webhook: webhookSender,
  kafka: kafkaSender,
  mqtt: mqttSender,
  nats: natsSender,
  folder: folderSender,
  sftp: sftpSender,
};
