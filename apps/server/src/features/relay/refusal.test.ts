import { expect, test } from 'vitest';
import { monotonicNow } from '#platform/clock.ts';
import { approvalParts, relayParts, sealOrder } from '#platform/order-seal.ts';
import { createSecrets } from '#platform/secrets.ts';
import type { RelayCommand } from './store.ts';
import { refusalOf } from './refusal.ts';

const secrets = createSecrets(Buffer.alloc(32, 7));
const NOW = Date.parse('2026-11-25T08:00:00Z');
const ctx = { secrets, clock: { now: () => NOW, monotonic: monotonicNow } };
const REQUESTER = '5';
const APPROVER = '6';

/** A sealed command as the server stores it. */
function sealed(parts: Partial<Pick<RelayCommand, 'needsApproval' | 'approval'>> = {}): RelayCommand {
  const ordered = {
    taskId: '1',
    meterId: '2',
    operation: 'disconnect' as const,
    requestedBy: REQUESTER,
    needsApproval: false,
    nonce: 'n1',
    validUntil: new Date(NOW + 60_000),
    ...parts,
  };
  const seal = sealOrder(secrets, 'relay command', relayParts(ordered));
  return { id: '9', state: 'waiting', isSent: false, isSuperseded: false, powerBeforeW: null, approval: null, ...ordered, seal };
}

const approvedBy = (approverId: string): RelayCommand['approval'] => ({
  state: 'approved',
  requestedBy: REQUESTER,
  approverId,
  seal: sealOrder(secrets, 'approval', approvalParts({ taskId: '1', requestedBy: REQUESTER, approverId })),
});

const refusal = (command: RelayCommand, kind = `relay_${command.operation}`) => refusalOf(ctx, command, kind);

test('a command is executed as it was sealed', () => {
  expect(refusal(sealed())).toBeUndefined();
  expect(refusal(sealed({ needsApproval: true, approval: approvedBy(APPROVER) }))).toBeUndefined();
});

test.each([
  ['task', { taskId: '11' }],
  ['meter', { meterId: '12' }],
  ['operation', { operation: 'connect' }],
  ['requester', { requestedBy: '15' }],
  ['number', { nonce: 'n2' }],
  ['validity', { validUntil: new Date(NOW + 120_000) }],
] as const)('a command whose %s was changed after it was sealed was not ordered', (_name, change) => {
  expect(refusal({ ...sealed(), ...change })).toBe('RELAY_NOT_ORDERED');
});

test('a command whose need of an approval was taken away after it was sealed was not ordered', () => {
  expect(refusal({ ...sealed({ needsApproval: true }), needsApproval: false })).toBe('RELAY_NOT_ORDERED');
});

test('a command in a task of another kind was not ordered', () => {
  expect(refusal(sealed(), 'relay_connect')).toBe('RELAY_NOT_ORDERED');
});

test('an approval that is missing, forged, or the requester’s own approves nothing', () => {
  const withApproval = (approval: RelayCommand['approval']) => refusal(sealed({ needsApproval: true, approval }));
  const genuine = approvedBy(APPROVER);
  expect(withApproval(null)).toBe('RELAY_NOT_APPROVED');
  expect(withApproval(approvedBy(REQUESTER))).toBe('RELAY_NOT_APPROVED');
  expect(withApproval(genuine && { ...genuine, state: 'rejected' })).toBe('RELAY_NOT_APPROVED');
  expect(withApproval(genuine && { ...genuine, approverId: '8' })).toBe('RELAY_NOT_APPROVED');
});

test('a command that was not sent is worth nothing after its validity, and one that was sent is still proved', () => {
  const later = { secrets, clock: { now: () => NOW + 60_001, monotonic: monotonicNow } };
  const command = sealed();
  expect(refusalOf(later, command, 'relay_disconnect')).toBe('RELAY_NOT_ORDERED');
  expect(refusalOf(later, { ...command, isSent: true }, 'relay_disconnect')).toBeUndefined();
});
