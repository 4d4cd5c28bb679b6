import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RelayLimits } from '@hes/contract/action/relay.ts';
import type { Secrets } from './secrets.ts';

/** Proves that this server wrote a row: its key is not in the database, so that who writes there can order nothing. */
export function sealOrder(secrets: Secrets, kind: string, parts: readonly (string | boolean)[]): Buffer {
  return createHmac('sha256', secrets.derive(`seal of ${kind}`))
    .update(JSON.stringify(parts))
    .digest();
}

export function isSealed(secrets: Secrets, kind: string, parts: readonly (string | boolean)[], seal: Uint8Array): boolean {
  const expected = sealOrder(secrets, kind, parts);
  return seal.length === expected.length && timingSafeEqual(seal, expected);
}

/** What the seal of a command to a relay covers. */
export const relayParts = (command: {
  taskId: string;
  meterId: string;
  operation: string;
  requestedBy: string;
  needsApproval: boolean;
}): (string | boolean)[] => [command.taskId, command.meterId, command.operation, command.requestedBy, command.needsApproval];

/** What the seal of a second person's word covers. */
export const approvalParts = (approval: { taskId: string; requestedBy: string; approverId: string }): string[] => [
  approval.taskId,
  approval.requestedBy,
  approval.approverId,
];

/** What the seal of a ceiling covers. */
export const limitParts = (limits: RelayLimits & { id: string; effectiveAt: Date }): string[] => [
  limits.id,
  ...[limits.maxMetersPerHour, limits.maxKwPerHour, limits.aloneUpTo, limits.spreadS].map(String),
  limits.effectiveAt.toISOString(),
];
