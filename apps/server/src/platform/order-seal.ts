import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RelayLimits } from '@hes/contract/action/relay.ts';
import type { Secrets } from './secrets.ts';

/** MAC of an order row. The key is not in the database, so write access to the database alone cannot forge orders. */
export const sealOrder = (secrets: Secrets, kind: string, parts: readonly (string | boolean)[]): Buffer =>
  sealWith(secrets.derive(`seal of ${kind}`), parts);

const sealWith = (key: Buffer, parts: readonly (string | boolean)[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest();

export function isSealed(secrets: Secrets, kind: string, parts: readonly (string | boolean)[], seal: Uint8Array): boolean {
  const expected = secrets.verifiers(`seal of ${kind}`).map((key) => sealWith(key, parts));
  return expected.some((one) => seal.length === one.length && timingSafeEqual(seal, one));
}

/** Fields covered by the seal of a relay command, including nonce and end of validity. */
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

/** Fields covered by the seal of an approval. */
export const approvalParts = (approval: { taskId: string; requestedBy: string; approverId: string }): string[] => [
  approval.taskId,
  approval.requestedBy,
  approval.approverId,
];

/** A stored row of relay limits. Rows of older versions lack daily limits, hours and dual approval. */
export type StoredLimits = Pick<RelayLimits, 'maxMetersPerHour' | 'maxKwPerHour' | 'soloLimitPerHour' | 'spreadS'> & {
  [K in 'maxMetersPerDay' | 'soloFromHour' | 'soloToHour']: number | null;
} & { id: string; effectiveAt: Date; needsSecond: boolean | null; changedBy: string | null };

/** Fields covered by the seal of relay limits. */
export const limitParts = (line: StoredLimits): (string | boolean)[] => [
  line.id,
  ...[line.maxMetersPerHour, line.maxKwPerHour, line.soloLimitPerHour, line.spreadS].map(String),
  line.effectiveAt.toISOString(),
  ...(line.needsSecond === null
    ? []
    : [...[line.maxMetersPerDay, line.soloFromHour, line.soloToHour].map(String), line.needsSecond, line.changedBy ?? '']),
];

/** Fields covered by the seal of an approval of relay limits. */
export const limitApprovalParts = (word: { id: string; changedBy: string | null; givenBy: string }): string[] => [
  word.id,
  word.changedBy ?? '',
  word.givenBy,
];
