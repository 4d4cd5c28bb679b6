import type { FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { USUAL_WATCH_MINUTES, type RingSize, type UpgradeOrder } from '@hes/contract/upgrade/job.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { splitSns } from '#domain/targets/resolve-targets.ts';

/** The input of the wizard so far. */
export interface Draft {
  typeIds: string[];
  versions: string[];
  node: TreeNode | undefined;
  /** The whole area, chosen explicitly. */
  everywhere: boolean;
  sns: string;
  /** Undefined: the default rings for the number of chosen devices. */
  rings: RingSize[] | undefined;
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
  everywhere: false,
  sns: '',
  rings: undefined,
  continueBy: 'hand',
  watchMinutes: USUAL_WATCH_MINUTES,
  window: null,
  concurrency: 20,
  perDcu: 1,
  haltRule: { failPercent: 5, silentPercent: 3, readDropPercent: 10 },
  activateAt: null,
  name: '',
  reason: '',
  leaveOutRefused: false,
};

/**
 * Pasted serial numbers are sent unfiltered, so that the report can name those of another type; otherwise the types of the firmware limit
 * the selection.
 */
export function selectionOf(
  { typeIds, versions, node, everywhere, sns }: Draft,
  ofFirmware: readonly { id: string }[],
): UpgradeOrder['selection'] {
  const pasted = splitSns(sns.toUpperCase());
  const types = typeIds.length > 0 || pasted.length > 0 ? typeIds : ofFirmware.map(({ id }) => id);
  return { ids: [], sns: pasted, everywhere, typeIds: types, versions, ...(node ? { node: node.key } : {}) };
}

export const orderOf = (draft: Draft, firmware: FirmwareRow): UpgradeOrder => ({
  name: draft.name.trim(),
  firmwareId: firmware.id,
  selection: selectionOf(draft, firmware.types),
  ...(draft.rings === undefined ? {} : { rings: draft.rings }),
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
