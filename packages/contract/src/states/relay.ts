import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** `disconnect` and `connect` switch the supply; `arm` lets the customer close the relay at the meter. */
export const relayOperation = z.enum(['disconnect', 'connect', 'arm']);
export type RelayOperation = z.infer<typeof relayOperation>;

export const relayCommandState = z.enum(['waiting', 'sent', 'done', 'refused', 'failed', 'unknown']);
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

/** How long a request waits for its second person. */
export const APPROVAL_MINUTES = 60;
/** What a supply counts as whose power nobody knows. */
export const ASSUMED_POWER_W = 1000;
/**
 * A limit that is raised comes into force so much later, with the approval of a second person; a lowered one at once. Limits that were in
 * force within this time need the approval only.
 */
export const LOOSENING_HOURS = 24;
/** Reconnections have limits of their own, which cannot be set: what can be set to zero leaves people without supply. */
export const MAX_RECONNECTIONS_PER_HOUR = 1000;
export const MAX_RECONNECTIONS_PER_DAY = 10_000;
/** A batch from so many supplies on begins with this share of it; the others follow when their outcome is known. */
export const CANARY_FROM = 20;
export const CANARY_SHARE = 0.01;
export const CANARY_S = 60;
/** Of the supplies of such a batch that were switched one in so many may lack its proof; beyond that the rest stays as it is. */
export const HALT_ONE_IN = 5;
/** What may still be measured behind an open contact, in watts. */
export const STILL_FLOWS_W = 20;

/** Whether one person may cut off a supply at this hour of the day; the hours may go past midnight. */
export function mayAlone({ aloneFromHour, aloneToHour }: { aloneFromHour: number; aloneToHour: number }, hour: number): boolean {
  if (aloneFromHour <= aloneToHour) return hour >= aloneFromHour && hour < aloneToHour;
  return hour >= aloneFromHour || hour < aloneToHour;
}

export const RELAY_OPERATION_TEXT: Record<RelayOperation, Text> = {
  disconnect: { en: 'Disconnect', zh: '拉闸' },
  connect: { en: 'Connect', zh: '合闸' },
  arm: { en: 'Allow Reconnection', zh: '允许合闸' },
};

/** Control modes of the disconnect control class: what may be done from afar. @spec BB 4 (class_id 70) */
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

/** Whether a relay in this mode does what an operation says. An unknown mode is found out by asking the meter. */
export function modeAllows(mode: number | null, operation: RelayOperation): boolean {
  const kind = mode === null ? undefined : CONTROL_MODES[mode];
  if (kind === undefined) return true;
  if (operation === 'disconnect') return kind.reconnects !== 'never';
  return kind.reconnects === (operation === 'connect' ? 'closes' : 'arms');
}
