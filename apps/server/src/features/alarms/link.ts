import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '#platform/secrets.ts';

const PURPOSE = 'links of alarms';
const SIGNATURE = /^(\d{1,19})\.([\w-]{43})$/;

const signatureOf = (key: Buffer, alarmId: string): string => createHmac('sha256', key).update(`alarm/${alarmId}`).digest('base64url');

/** The word in a link that permits its reader to acknowledge one alarm. */
export const signLink = (secrets: Secrets, alarmId: string): string => `${alarmId}.${signatureOf(secrets.derive(PURPOSE), alarmId)}`;

/** Id of the alarm of a link; undefined: the head-end did not sign it. */
export function readLink(secrets: Secrets, link: string): string | undefined {
  const [, alarmId = '', signature = ''] = SIGNATURE.exec(link) ?? [];
  const expected = secrets.verifiers(PURPOSE).map((key) => Buffer.from(signatureOf(key, alarmId)));
  const given = Buffer.from(signature);
  return expected.some((one) => one.length === given.length && timingSafeEqual(one, given)) ? alarmId : undefined;
}
