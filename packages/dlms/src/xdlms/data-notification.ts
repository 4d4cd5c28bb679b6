import { prefixed, sequence, type ValueOf } from '../codec/codec.ts';
import { dataCodec, rawData } from '../cosem/data.ts';
import { longInvokeIdAndPriority } from './invoke.ts';
import { optionalDateTime } from './optional-date-time.ts';

/**
 * ```asn1
 * Data-Notification ::= SEQUENCE {
 *   long-invoke-id-and-priority Long-Invoke-Id-And-Priority,
 *   date-time                   OCTET STRING,
 *   notification-body           NotificationBody }
 * NotificationBody ::= SEQUENCE { data-value Data }
 * ```
 * @spec GB 9.5 (data-notification [15])
 */
export const dataNotification = prefixed(
  0x0f,
  sequence({ longInvoke: longInvokeIdAndPriority, dateTime: optionalDateTime, body: rawData }),
);
export type DataNotification = ValueOf<typeof dataNotification>;

/** The same APDU with its body decoded, which saves the pass that only validates the body. */
export const valueNotification = prefixed(
  0x0f,
  sequence({ longInvoke: longInvokeIdAndPriority, dateTime: optionalDateTime, value: dataCodec }),
);
export type ValueNotification = ValueOf<typeof valueNotification>;

/**
 * ```asn1
 * Data-Notification-Confirm ::= SEQUENCE {
 *   long-invoke-id-and-priority Long-Invoke-Id-And-Priority,
 *   date-time                   OCTET STRING }
 * ```
 * @spec GB 9.5 (data-notification-confirm [16])
 */
export const dataNotificationConfirm = prefixed(0x10, sequence({ longInvoke: longInvokeIdAndPriority, dateTime: optionalDateTime }));
export type DataNotificationConfirm = ValueOf<typeof dataNotificationConfirm>;
