import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** `disconnect` and `connect` switch the supply; `arm` lets the customer close the relay at the meter. */
export const relayOperation = z.enum(['disconnect', 'connect', 'arm']);
export type RelayOperation = z.infer<typeof relayOperation>;

export const RELAY_COMMAND_STATES = ['waiting', 'sent', 'done', 'refused', 'failed', 'unknown'] as const;
export const relayCommandState = z.enum(RELAY_COMMAND_STATES);
export type RelayCommandState = z.infer<typeof relayCommandState>;

export const RELAY_COMMAND_TEXT: Record<RelayCommandState, Text> = {
  waiting: { en: 'Waiting', zh: '等待中' },
  sent: { en: 'Sent', zh: '已下发' },
  done: { en: 'Confirmed', zh: '已确认' },
  refused: { en: 'Refused', zh: '被拒绝' },
  failed: { en: 'Failed', zh: '失败' },
  unknown: { en: 'Unknown', zh: '结果未知' },
};

export const approvalState = z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled']);
export type ApprovalState = z.infer<typeof approvalState>;
export const APPROVAL_TEXT: Record<ApprovalState, Text> = {
  pending: { en: 'Waiting', zh: '待审批' },
  approved: { en: 'Approved', zh: '已批准' },
  rejected: { en: 'Rejected', zh: '已驳回' },
  expired: { en: 'Expired', zh: '已过期' },
  cancelled: { en: 'Cancelled', zh: '已取消' },
};

/** Time in which a second user must decide about a request, in minutes. */
export const APPROVAL_MINUTES = 60;
/** Power assumed for a supply with unknown demand, in watts. */
export const ASSUMED_POWER_W = 1000;
/**
 * Hours after which a raised limit takes effect, with the approval of a second user; a lowered one takes effect at once. Limits that were in
 * force within this time need the approval only.
 */
export const LOOSENING_HOURS = 24;
/** Reconnections have separate limits that cannot be changed: a limit of zero would leave customers without supply. */
export const MAX_RECONNECTIONS_PER_HOUR = 1000;
export const MAX_RECONNECTIONS_PER_DAY = 10_000;
/**
 * A batch of at least `CANARY_FROM` supplies starts with `CANARY_SHARE` of them; the rest start `CANARY_S` seconds later unless the batch
 * has halted.
 */
export const CANARY_FROM = 20;
export const CANARY_SHARE = 0.01;
export const CANARY_S = 60;
/** A batch of at least `CANARY_FROM` supplies halts when more than one in this many switched supplies is unconfirmed. */
export const HALT_ONE_IN = 5;
/** Power in watts up to which a disconnected supply counts as without load. */
export const STILL_FLOWS_W = 20;

/** Whether one user may disconnect without approval at this local hour; the range may cross midnight. */
export function isSoloHour({ soloFromHour, soloToHour }: { soloFromHour: number; soloToHour: number }, hour: number): boolean {
  if (soloFromHour <= soloToHour) return hour >= soloFromHour && hour < soloToHour;
  return hour >= soloFromHour || hour < soloToHour;
}

export const RELAY_OPERATION_TEXT: Record<RelayOperation, Text> = {
  disconnect: { en: 'Disconnect', zh: '拉闸' },
  connect: { en: 'Connect', zh: '合闸' },
  arm: { en: 'Allow reconnection', zh: '允许合闸' },
};

/** Control modes of the disconnect control class, by number: what a remote command may do. @spec BB 4 (class_id 70) */
export const CONTROL_MODES: readonly { reconnects: 'never' | 'closes' | 'arms'; text: Text }[] = [
  { reconnects: 'never', text: { en: 'Always connected: remote orders do nothing', zh: '始终合闸：远程操作无效' } },
  {
    reconnects: 'arms',
    text: { en: 'Remote reconnection arms, a button closes; manual disconnection', zh: '远程允许合闸，手动合闸；可手动拉闸' },
  },
  { reconnects: 'closes', text: { en: 'Remote reconnection closes; manual disconnection', zh: '远程直接合闸；可手动拉闸' } },
  { reconnects: 'arms', text: { en: 'Remote reconnection arms, a button closes', zh: '远程允许合闸，手动合闸' } },
  { reconnects: 'closes', text: { en: 'Remote reconnection closes', zh: '远程直接合闸' } },
  {
    reconnects: 'arms',
    text: { en: 'Remote reconnection arms, button or meter closes; manual disconnection', zh: '远程允许合闸，手动或本地合闸；可手动拉闸' },
  },
  { reconnects: 'arms', text: { en: 'Remote reconnection arms, button or meter closes', zh: '远程允许合闸，手动或本地合闸' } },
];

/** Whether the control mode permits the operation. An unknown mode permits it: the meter itself decides. */
export function modeAllows(mode: number | null, operation: RelayOperation): boolean {
  const kind = mode === null ? undefined : CONTROL_MODES[mode];
  if (kind === undefined) return true;
  if (operation === 'disconnect') return kind.reconnects !== 'never';
  return kind.reconnects === (operation === 'connect' ? 'closes' : 'arms');
}
