/**
 * Messages that a device sends unsolicited.
 * @module dlms/push
 */
export { PushReceiver, type BlockFault, type PushStep } from '../association/block-push.ts';
export {
  confirmNotification,
  decodeEvent,
  decodeNotification,
  decodeNotificationValue,
  encodeEvent,
  encodeNotification,
  isConfirmation,
  type DecodedNotification,
  type KeysOf,
  type Notification,
  type NotificationKeys,
  type NotificationValue,
} from '../association/notification.ts';
export { pushedValues, type PushedObject, type PushedValue, type PushListOf } from '../cosem/push-body.ts';
export type { DataNotification, ValueNotification } from '../xdlms/data-notification.ts';
export type { EventNotification } from '../xdlms/event-notification.ts';
