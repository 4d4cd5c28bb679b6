import type { FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { USUAL_RINGS, type UpgradeOrder } from '@hes/contract/upgrade/job.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { splitSns } from '#widgets/targets/resolve-targets.ts';

/** What the wizard has been told so far. */
export interface Draft {
  typeIds: string[];
  versions: string[];
  node: TreeNode | undefined;
  sns: string;
  rings: { unit: 'devices' | 'percent'; size: number }[];
  continueBy: 'itself' | 'hand';
  watchMinutes: number;
  window: { from: string; to: string } | null;
  concurrency: number;
  perDcu: number;
  haltRule: { failPercent: number; silentPercent: number; readDropPercent: number };
  activateAt: string | null;
  name: string;
  reason: string;
  leaveOutRefused: boolean;
}

export const EMPTY_DRAFT: Draft = {
  typeIds: [],
  versions: [],
  node: undefined,
  sns: '',
  rings: [...USUAL_RINGS],
  continueBy: 'itself',
  watchMinutes: 0,
  window: null,
  concurrency: 20,
  perDcu: 1,
  haltRule: { failPercent: 5, silentPercent: 3, readDropPercent: 10 },
  activateAt: null,
  name: '',
  reason: '',
  leaveOutRefused: false,
};

/** Serial numbers are taken as they were pasted, so that those of another type are named; otherwise the types of the firmware bound the choice. */
export function selectionOf({ typeIds, versions, node, sns }: Draft, ofFirmware: readonly { id: string }[]): UpgradeOrder['selection'] {
  const pasted = splitSns(sns.toUpperCase());
  const types = typeIds.length > 0 || pasted.length > 0 ? typeIds : ofFirmware.map(({ id }) => id);
  return { ids: [], sns: pasted, typeIds: types, versions, ...(node ? { node: node.key } : {}) };
}

export const orderOf = (draft: Draft, firmware: FirmwareRow): UpgradeOrder => ({
  name: draft.name.trim(),
  firmwareId: firmware.id,
  selection: selectionOf(draft, firmware.types),
  rings: draft.rings,
  continueBy: draft.continueBy,
  watchMinutes: draft.watchMinutes,
  window: draft.window,
  concurrency: draft.concurrency,
  perDcu: draft.perDcu,
  haltRule: draft.haltRule,
  activateAt: draft.activateAt,
  leaveOutRefused: draft.leaveOutRefused,
  reason: draft.reason.trim(),
});
