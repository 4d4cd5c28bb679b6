import { encodeNotification, type Notification } from '@hes/dlms/association/notification.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { dataNotificationConfirm } from '@hes/dlms/xdlms/data-notification.ts';

/** What a meter sends unrequested and wants confirmed: an alarm register with one bit set. Without protection it proves nothing. */
export const encodeAlarm = (number: number, protection?: Notification['protection']): Uint8Array =>
  encodeNotification({
    longInvokeId: number,
    confirmed: true,
    body: encode(doubleLongUnsigned, 1),
    ...(protection === undefined ? {} : { protection }),
  });

/** The number of the alarm that an APDU confirms; undefined: it is something else. */
export const confirmedIn = (apdu: Uint8Array): number | undefined =>
  apdu[0] === APDU_TAGS.dataNotificationConfirm ? decode(dataNotificationConfirm, apdu).longInvoke.id : undefined;
