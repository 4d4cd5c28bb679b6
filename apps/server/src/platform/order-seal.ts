import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RelayLimits } from '@hes/contract/action/relay.ts';
import type { Secrets } from './secrets.ts';

/** Proves that this server wrote a row: its key is not in the database, so that who writes there can order nothing. */
export const sealOrder = (secrets: Secrets, kind: string, parts: readonly (string | boolean)[]): Buffer =>
  sealWith(secrets.derive(`seal of ${kind}`), parts);

const sealWith = (key: Buffer, parts: readonly (string | boolean)[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest();

export function isSealed(secrets: Secrets, kind: string, parts: readonly (string | boolean)[], seal: Uint8Array): boolean {
  const expected = secrets.verifiers(`seal of ${kind}`).map((key) => sealWith(key, parts));
  return expected.some((one) => seal.length === one.length && timingSafeEqual(seal, one));
}

/** What the seal of a command to a relay covers: the number that is used once and the end of its validity, too. */
export const relayParts = (command: {
  taskId: string;
  meterId: string;
  operation: string;
  requestedBy: string;
  needsApproval: boolean;
  nonce: string;
  validUntil: Date;
}): (string | boolean)[] => [
  command.taskId,
  command.meterId,
  command.operation,
  command.requestedBy,
  command.needsApproval,
  command.nonce,
  command.validUntil.toISOString(),
];

/** What the seal of a second person's word covers. */
export const approvalParts = (approval: { taskId: string; requestedBy: string; approverId: string }): string[] => [
  approval.taskId,
  approval.requestedBy,
  approval.approverId,
];

/** A line of ceilings as it is stored; lines of older versions know neither days nor hours nor a second person. */
export type StoredLimits = Pick<RelayLimits, 'maxMetersPerHour' | 'maxKwPerHour' | 'soloLimitPerHour' | 'spreadS'> & {
  [K in 'maxMetersPerDay' | 'soloFromHour' | 'soloToHour']: number | null;
} & { id: string; effectiveAt: Date; needsSecond: boolean | null; changedBy: string | null };

/** What the seal of a ceiling covers. */
export const limitParts = (line: StoredLimits): (string | boolean)[] => [
  line.id,
  ...[line.maxMetersPerHour, line.maxKwPerHour, line.soloLimitPerHour, line.spreadS].map(String),
  line.effectiveAt.toISOString(),
  ...(line.needsSecond === null
    ? []
    : [...[line.maxMetersPerDay, line.soloFromHour, line.soloToHour].map(String), line.needsSecond, line.changedBy ?? '']),
];

/** What the seal of a second person's word about ceilings covers. */
export const limitWordParts = (word: { id: string; changedBy: string | null; givenBy: string }): string[] => [
  word.id,
  word.changedBy ?? '',
  word.givenBy,
];
