import type { Text } from '@hes/contract/core/text.ts';
import type { TransformerState } from '@hes/contract/asset/transformer.ts';
import type { DcuOnlineStatus, Freshness, InventoryState } from '@hes/contract/states/device.ts';
import type { TaskItemState, TaskState } from '@hes/contract/task/task.ts';
import type { Tone } from '#shared/theme/tokens.ts';
import type { Shape } from './glyphs.tsx';
import { words } from './messages.ts';

/** Shape, tone and word of a state: shape first, so that it reads in greyscale too. */
export interface Sign {
  shape: Shape;
  tone: Tone;
  text: Text;
  /** The word keeps the text colour: an ordinary state does not shout. */
  quiet?: boolean;
  spin?: boolean;
}

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
  never: { shape: 'dashed', tone: 'none', text: words.never },
};

export const ITEM: Record<TaskItemState, Sign> = {
  waiting: { shape: 'clock', tone: 'wait', text: words.waiting },
  reading: { shape: 'arc', tone: 'run', text: words.reading, spin: true },
  read_success: { shape: 'tick', tone: 'ok', text: words.read_success, quiet: true },
  read_fail: { shape: 'cross', tone: 'red', text: words.read_fail },
  cancelled: { shape: 'stopped', tone: 'none', text: words.cancelled },
  expired: { shape: 'stopped', tone: 'none', text: words.expired },
};
export const ITEM_ORDER = [
  'read_success',
  'read_fail',
  'reading',
  'waiting',
  'cancelled',
  'expired',
] as const satisfies readonly TaskItemState[];

export const TASK: Record<TaskState, Sign> = {
  waiting_approval: { shape: 'clock', tone: 'wait', text: words.waiting_approval },
  waiting: { shape: 'clock', tone: 'wait', text: words.waiting },
  running: { shape: 'arc', tone: 'run', text: words.running, spin: true },
  finished: { shape: 'tick', tone: 'ok', text: words.finished },
  partly_failed: { shape: 'ring!', tone: 'amber', text: words.partly_failed },
  failed: { shape: 'cross', tone: 'red', text: words.failed },
  cancelled: { shape: 'stopped', tone: 'none', text: words.cancelled },
  expired: { shape: 'stopped', tone: 'none', text: words.expired },
};

export const INVENTORY: Record<InventoryState, Sign> = {
  in_warehouse: { shape: 'box', tone: 'none', text: words.in_warehouse },
  installed: { shape: 'wrench', tone: 'run', text: words.installed },
  active: { shape: 'bolt', tone: 'ok', text: words.active },
};

export const ENABLED: Record<'enabled' | 'disabled', Sign> = {
  enabled: { shape: 'tick', tone: 'ok', text: words.type_enabled, quiet: true },
  disabled: { shape: 'stopped', tone: 'none', text: words.type_disabled },
};

/** A transformer by the DCUs that serve it. */
export const TRANSFORMER: Record<TransformerState, Sign> = {
  no_dcu: { shape: 'dashed', tone: 'none', text: words.no_dcu },
  all_online: { shape: 'disc', tone: 'ok', text: words.all_online, quiet: true },
  some_offline: { shape: 'ring!', tone: 'amber', text: words.some_offline },
};
export const TRANSFORMER_ORDER = ['all_online', 'some_offline', 'no_dcu'] as const satisfies readonly TransformerState[];

export type UserState = 'active' | 'locked' | 'must_change';
export const USER: Record<UserState, Sign> = {
  active: { shape: 'tick', tone: 'ok', text: words.user_active, quiet: true },
  locked: { shape: 'lock', tone: 'wait', text: words.user_locked },
  must_change: { shape: 'key', tone: 'amber', text: words.user_must_change },
};
export const USER_ORDER = ['active', 'locked', 'must_change'] as const satisfies readonly UserState[];
