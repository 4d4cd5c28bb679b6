import type { TransformerState } from '@hes/contract/asset/transformer.ts';
import {
  BIND_TEXT,
  DELETE_STATUS_TEXT,
  DIFF_TEXT,
  DISPATCH_TEXT,
  DISTRIBUTION_TEXT,
  type BindState,
  type DeleteStatus,
  type DiffKind,
  type DispatchState,
  type DistributionState,
} from '@hes/contract/states/archive.ts';
import { DISCOVERY_MATCH_TEXT, DISCOVERY_STATE_TEXT, type DiscoveryMatch, type DiscoveryState } from '@hes/contract/states/discovery.ts';
import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import type { DcuOnlineStatus, Freshness, InventoryState } from '@hes/contract/states/device.ts';
import type { ProfileRow } from '@hes/contract/reading/reading.ts';
import { QUALITY_TEXT } from '@hes/contract/states/reading.ts';
import { RUN_ITEM_STATES, type RunItemState } from '@hes/contract/task/run-state.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { itemText, runStateOf, type Ordered, type RunState } from '@hes/contract/task/words.ts';
import type { Tone } from '#core/theme/tokens.ts';
import type { Sign } from '#kit/state/sign.ts';
import { words } from './messages.ts';

export const FRESHNESS: Record<Freshness, Sign> = {
  h24: { shape: 'disc', tone: 'ok', text: words.h24, quiet: true },
  h24_48: { shape: 'disc60', tone: 'amber', text: words.h24_48 },
  h48_72: { shape: 'disc30', tone: 'orange', text: words.h48_72 },
  over72: { shape: 'ring!', tone: 'red', text: words.over72 },
  none: { shape: 'dashed', tone: 'none', text: words.none },
};
export const FRESHNESS_ORDER = ['h24', 'h24_48', 'h48_72', 'over72', 'none'] as const satisfies readonly Freshness[];

export const ONLINE: Record<DcuOnlineStatus, Sign> = {
  online: { shape: 'disc', tone: 'ok', text: words.online, quiet: true },
  offline: { shape: 'dashed', tone: 'none', text: words.offline },
  unknown: { shape: 'clock', tone: 'none', text: words.unknownOnline, hint: NOT_ONLINE_TEXT.unknown },
  never: { shape: 'dashed', tone: 'none', text: words.never },
};

const ITEM_LOOK: Record<RunItemState, Omit<Sign, 'text'>> = {
  waiting: { shape: 'clock', tone: 'wait' },
  reading: { shape: 'arc', tone: 'run', spin: true },
  read_success: { shape: 'tick', tone: 'ok', quiet: true },
  read_fail: { shape: 'cross', tone: 'red' },
  unknown: { shape: 'ring!', tone: 'amber' },
  cancelled: { shape: 'stopped', tone: 'none' },
  expired: { shape: 'stopped', tone: 'none' },
};
/** The state of an item, labelled by its order. */
export const itemSign = (of: Ordered, state: RunItemState): Sign => ({ ...ITEM_LOOK[state], text: itemText(of, state) });
const readSign = (state: RunItemState): Sign => itemSign({ kind: 'registers' }, state);
/** The states of a reading, for pages that show only readings. */
export const ITEM: Record<RunItemState, Sign> = {
  waiting: readSign('waiting'),
  reading: readSign('reading'),
  read_success: readSign('read_success'),
  read_fail: readSign('read_fail'),
  unknown: readSign('unknown'),
  cancelled: readSign('cancelled'),
  expired: readSign('expired'),
};
export const ITEM_ORDER = RUN_ITEM_STATES;

export const TASK: Record<RunState, Sign> = {
  waiting_approval: { shape: 'clock', tone: 'wait', text: words.waiting_approval },
  waiting: { shape: 'clock', tone: 'wait', text: words.waiting },
  running: { shape: 'arc', tone: 'run', text: words.running, spin: true },
  paused: { shape: 'paused', tone: 'amber', text: words.paused },
  finished: { shape: 'tick', tone: 'ok', text: words.finished },
  partly_failed: { shape: 'ring!', tone: 'amber', text: words.partly_failed },
  failed: { shape: 'cross', tone: 'red', text: words.failed },
  unknown: { shape: 'ring!', tone: 'amber', text: words.unknown },
  cancelled: { shape: 'stopped', tone: 'none', text: words.cancelled },
  expired: { shape: 'stopped', tone: 'none', text: words.expired },
};
export const taskSign = (run: Pick<TaskRow, 'state' | 'failed' | 'unknown'>): Sign => TASK[runStateOf(run)];

/** The source of a reading. */
export const QUALITY: Record<ProfileRow['quality'], Sign> = {
  read: { shape: 'tick', tone: 'ok', text: QUALITY_TEXT.read, quiet: true },
  refilled: { shape: 'plus', tone: 'ok', text: QUALITY_TEXT.refilled, quiet: true },
  estimated: { shape: 'wave', tone: 'amber', text: QUALITY_TEXT.estimated },
  manual: { shape: 'wrench', tone: 'run', text: QUALITY_TEXT.manual },
  invalid: { shape: 'ring!', tone: 'red', text: QUALITY_TEXT.invalid },
  missing: { shape: 'dashed', tone: 'orange', text: QUALITY_TEXT.missing },
};

export const INVENTORY: Record<InventoryState, Sign> = {
  in_warehouse: { shape: 'box', tone: 'none', text: words.in_warehouse },
  installed: { shape: 'wrench', tone: 'run', text: words.installed },
  active: { shape: 'bolt', tone: 'ok', text: words.active, quiet: true },
};

export const ENABLED: Record<'enabled' | 'disabled', Sign> = {
  enabled: { shape: 'tick', tone: 'ok', text: words.type_enabled, quiet: true },
  disabled: { shape: 'stopped', tone: 'none', text: words.type_disabled },
};

/** A transformer by the state of its DCUs. */
export const TRANSFORMER: Record<TransformerState, Sign> = {
  no_dcu: { shape: 'dashed', tone: 'none', text: words.no_dcu },
  all_online: { shape: 'disc', tone: 'ok', text: words.all_online, quiet: true },
  some_offline: { shape: 'ring!', tone: 'amber', text: words.some_offline },
  unknown: { shape: 'clock', tone: 'none', text: words.unknownOnline, hint: NOT_ONLINE_TEXT.unknown },
};
export const TRANSFORMER_ORDER = ['all_online', 'some_offline', 'unknown', 'no_dcu'] as const satisfies readonly TransformerState[];

export type UserState = 'active' | 'locked' | 'must_change';
/** A user or role that was changed in the database, not through the product. */
export const CHANGED_OUTSIDE: Sign = { shape: 'unlink', tone: 'red', text: words.changed_outside };
export const USER: Record<UserState, Sign> = {
  active: { shape: 'tick', tone: 'ok', text: words.user_active, quiet: true },
  locked: { shape: 'lock', tone: 'wait', text: words.user_locked },
  must_change: { shape: 'key', tone: 'amber', text: words.user_must_change },
};
/** The second factor of a user. */
export const FACTOR: Record<'on' | 'off', Sign> = {
  on: { shape: 'tick', tone: 'ok', text: words.factor_on, quiet: true },
  off: { shape: 'dashed', tone: 'none', text: words.factor_off },
};
export const USER_ORDER = ['active', 'locked', 'must_change'] as const satisfies readonly UserState[];

/** Result of comparing the archives of head-end and DCU with the meters the DCU found. */
export const DIFF: Record<DiffKind, Sign> = {
  same: { shape: 'tick', tone: 'ok', text: DIFF_TEXT.same, quiet: true },
  hes_only: { shape: 'plus', tone: 'amber', text: DIFF_TEXT.hes_only },
  dcu_only: { shape: 'minus', tone: 'red', text: DIFF_TEXT.dcu_only },
  param_diff: { shape: 'differ', tone: 'amber', text: DIFF_TEXT.param_diff },
  idx_conflict: { shape: 'ring!', tone: 'red', text: DIFF_TEXT.idx_conflict },
  other_dcu: { shape: 'unlink', tone: 'red', text: DIFF_TEXT.other_dcu },
  air_only: { shape: 'wave', tone: 'none', text: DIFF_TEXT.air_only },
};
export const DIFF_ORDER = [
  'same',
  'hes_only',
  'param_diff',
  'dcu_only',
  'idx_conflict',
  'other_dcu',
  'air_only',
] as const satisfies readonly DiffKind[];

/**
 * The four combinations of bind state and dispatch state, each with its colour: in stock grey, to be distributed amber,
 * distributed green, to be deleted red. @spec seed §4
 */
const archiveTone = (bind: BindState, dispatch: DispatchState): Tone =>
  bind === 'bound' ? (dispatch === 'distributed' ? 'ok' : 'amber') : dispatch === 'distributed' ? 'red' : 'none';
export const bindSign = (bind: BindState, dispatch: DispatchState): Sign => ({
  shape: bind === 'bound' ? 'link' : 'unlink',
  tone: archiveTone(bind, dispatch),
  text: BIND_TEXT[bind],
});
/** `isProven`: a comparison or an order has confirmed that the DCU has the entry; otherwise the record says so, which is grey. */
export const dispatchSign = (bind: BindState, dispatch: DispatchState, isProven = true): Sign => ({
  shape: dispatch === 'distributed' ? 'tick' : 'plane',
  text: DISPATCH_TEXT[dispatch],
  ...(dispatch === 'distributed' && !isProven ? { tone: 'none', hint: words.notCompared } : { tone: archiveTone(bind, dispatch) }),
});
export const DISTRIBUTION: Record<DistributionState, Sign> = {
  pending_distribution: { shape: 'plane', tone: 'amber', text: DISTRIBUTION_TEXT.pending_distribution },
  distributed: { shape: 'tick', tone: 'ok', text: DISTRIBUTION_TEXT.distributed, quiet: true },
  deleted: { shape: 'stopped', tone: 'none', text: DISTRIBUTION_TEXT.deleted },
};
export const distributionSign = (state: DistributionState, isProven: boolean): Sign =>
  state === 'distributed' && !isProven ? { ...DISTRIBUTION.distributed, tone: 'none', hint: words.notCompared } : DISTRIBUTION[state];
export const DELETE: Record<DeleteStatus, Sign> = {
  none: { shape: 'dashed', tone: 'none', text: DELETE_STATUS_TEXT.none, quiet: true },
  pending_delete: { shape: 'clock', tone: 'red', text: DELETE_STATUS_TEXT.pending_delete },
  deleted: { shape: 'stopped', tone: 'none', text: DELETE_STATUS_TEXT.deleted },
  delete_failed: { shape: 'cross', tone: 'red', text: DELETE_STATUS_TEXT.delete_failed },
};

export const SEARCH: Record<DiscoveryState, Sign> = {
  idle: { shape: 'dashed', tone: 'none', text: DISCOVERY_STATE_TEXT.idle },
  starting: { shape: 'clock', tone: 'wait', text: DISCOVERY_STATE_TEXT.starting },
  searching: { shape: 'arc', tone: 'run', text: DISCOVERY_STATE_TEXT.searching, spin: true },
  stopping: { shape: 'arc', tone: 'wait', text: DISCOVERY_STATE_TEXT.stopping, spin: true },
  finished: { shape: 'tick', tone: 'ok', text: DISCOVERY_STATE_TEXT.finished },
  failed: { shape: 'cross', tone: 'red', text: DISCOVERY_STATE_TEXT.failed },
};
export const MATCH: Record<DiscoveryMatch, Sign> = {
  unknown: { shape: 'plus', tone: 'amber', text: DISCOVERY_MATCH_TEXT.unknown },
  in_warehouse: { shape: 'box', tone: 'run', text: DISCOVERY_MATCH_TEXT.in_warehouse },
  bound_here: { shape: 'link', tone: 'ok', text: DISCOVERY_MATCH_TEXT.bound_here, quiet: true },
  bound_elsewhere: { shape: 'unlink', tone: 'orange', text: DISCOVERY_MATCH_TEXT.bound_elsewhere },
  duplicate: { shape: 'ring!', tone: 'red', text: DISCOVERY_MATCH_TEXT.duplicate },
  ignored: { shape: 'stopped', tone: 'none', text: DISCOVERY_MATCH_TEXT.ignored },
};
export const MATCH_ORDER = [
  'unknown',
  'in_warehouse',
  'bound_here',
  'bound_elsewhere',
  'duplicate',
  'ignored',
] as const satisfies readonly DiscoveryMatch[];
