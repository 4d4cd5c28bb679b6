import { bill } from '@hes/contract/analysis/bill.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { transformer, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { to } from '@hes/contract/page/links.ts';
import { FolderTree, Gauge, Link2, ListTree, Network, Scale, Table2 } from 'lucide-react';
import type { Action } from '#kit/list/action.ts';
import { editAction, openAction, removeAction } from '#kit/list/usual-actions.tsx';
import { BindDialog } from './bind-dialog.tsx';
import { MasterDialog, MoveDialog } from './dialogs.tsx';
import { texts } from './messages.ts';
import { TransformerForm } from './transformer-form.tsx';

export const bindDcus = {
  key: 'bind',
  label: texts.bindDcu,
  icon: Link2,
  right: transformer.bindDcus,
  act: { kind: 'dialog', Dialog: BindDialog },
} satisfies Action<TransformerRow>;

export const setMaster = {
  key: 'master',
  label: texts.setMaster,
  icon: Gauge,
  right: transformer.setMaster,
  act: { kind: 'dialog', Dialog: MasterDialog },
} satisfies Action<TransformerRow>;

const moveToLevel: Action<TransformerRow> = {
  key: 'move',
  label: texts.moveToLevel,
  icon: FolderTree,
  right: transformer.moveMany,
  batch: {},
  act: { kind: 'dialog', Dialog: MoveDialog },
};

const at = (page: 'dcus' | 'readings' | 'topology' | 'bills') => (row: TransformerRow) => to[page]({ node: `transformer:${row.id}` });

/** In the order of the menu. */
export const transformerActions = [
  editAction(transformer.update, TransformerForm),
  bindDcus,
  setMaster,
  moveToLevel,
  openAction({ key: 'dcus', label: texts.openDcus, icon: ListTree, right: dcu.list }, at('dcus')),
  openAction({ key: 'readings', label: texts.openReadings, icon: Table2, right: reading.daily }, at('readings')),
  openAction({ key: 'topology', label: texts.openTopology, icon: Network, right: topology.get }, at('topology')),
  openAction({ key: 'loss', label: texts.openLoss, icon: Scale, right: bill.list }, at('bills')),
  removeAction(transformer.remove),
];
