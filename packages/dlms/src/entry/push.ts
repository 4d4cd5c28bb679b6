/**
 * Messages that a device sends unsolicited.
 * @module dlms/push
 */
export { PushReceiver, type BlockFault, type PushStep } from '../association/block-push.ts';
export {
  confirmNotification,
  decodeEvent,
  decodeNotification,
  encodeEvent,
  encodeNotification,
  isConfirmation,
  type DecodedNotification,
  type KeysOf,
  type Notification,
  type NotificationKeys,
} from '../association/notification.ts';
export { pushedValues, type PushedObject, type PushedValue, type PushListOf } from '../cosem/push-body.ts';
export type { DataNotification } from '../xdlms/data-notification.ts';
export type { EventNotification } from '../xdlms/event-notification.ts';
