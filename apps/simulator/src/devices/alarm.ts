import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { dataNotificationConfirm } from '@hes/dlms/xdlms/data-notification.ts';

/** What a meter says unasked and wants confirmed: an alarm register with one bit set. */
export const encodeAlarm = (number: number): Uint8Array =>
  encodeNotification({ longInvokeId: number, confirmed: true, body: encode(doubleLongUnsigned, 1) });

/** The number of the alarm that an APDU confirms; undefined: it is something else. */
export const confirmedIn = (apdu: Uint8Array): number | undefined =>
  apdu[0] === APDU_TAGS.dataNotificationConfirm ? decode(dataNotificationConfirm, apdu).longInvoke.id : undefined;
