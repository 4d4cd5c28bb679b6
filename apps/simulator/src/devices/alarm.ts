import { encodeNotification, type Notification } from '@hes/dlms/association/notification.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { dataNotificationConfirm } from '@hes/dlms/xdlms/data-notification.ts';

/** A confirmed event notification of a meter: an alarm register with one bit set. Without protection it is not authentic. */
export const encodeAlarm = (number: number, protection?: Notification['protection']): Uint8Array =>
  encodeNotification({
    longInvokeId: number,
    confirmed: true,
    body: encode(doubleLongUnsigned, 1),
    ...(protection === undefined ? {} : { protection }),
  });

/** The number of the alarm that an APDU confirms; undefined for other APDUs. */
export const confirmedIn = (apdu: Uint8Array): number | undefined =>
  apdu[0] === APDU_TAGS.dataNotificationConfirm ? decode(dataNotificationConfirm, apdu).longInvoke.id : undefined;
