import { clock } from '@hes/contract/action/clock.ts';
import { dcuConfig } from '@hes/contract/action/dcu-config.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import { dcu as dcus, MAX_DCUS_AT_ONCE, type DcuRow } from '@hes/contract/asset/dcu.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { dcuLog } from '@hes/contract/debug/dcu-log.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { to } from '@hes/contract/page/links.ts';
import {
  Activity,
  Clock,
  FileStack,
  HardDriveUpload,
  Info,
  KeyRound,
  Network,
  Power,
  ScrollText,
  SlidersHorizontal,
  Trash2,
  UtilityPole,
} from 'lucide-react';
import { call } from '#core/api/client.ts';
import { defineAction, type Action } from '#kit/list/action.ts';
import { editAction, openAction } from '#kit/list/usual-actions.tsx';
import { EditForm, KeysForm } from './detail-forms.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { runOf } from './run.tsx';
import { texts } from './texts.ts';

const REASON = { label: texts.reason, max: 128, missing: RULES.reason };
const BATCH = { most: MAX_DCUS_AT_ONCE };
/** When a selected DCU is not online, its name is shown and nothing is sent. */
const ONLINE_BATCH = { ...BATCH, refusal: texts.selectValid };

const whyNotOnline = ({ onlineStatus }: DcuRow): Text | undefined =>
  onlineStatus === 'online' ? undefined : NOT_ONLINE_TEXT[onlineStatus];

const testLink: Action<DcuRow> = {
  key: 'test',
  label: texts.testLink,
  icon: Activity,
  right: dcus.test,
  refusedBy: whyNotOnline,
  act: { kind: 'task', start: ([row]) => call(dcus.test, { params: { id: row.id } }), Run: runOf(texts.testTitle) },
};

const readInfo: Action<DcuRow> = {
  key: 'info',
  label: texts.readInfo,
  icon: Info,
  right: dcus.readInfo,
  refusedBy: whyNotOnline,
  batch: ONLINE_BATCH,
  act: { kind: 'task', start: (rows) => call(dcus.readInfo, { body: { ids: rows.map(({ id }) => id) } }), Run: runOf(texts.infoTitle) },
};

/** Small deviations are adjusted, larger ones set. Clocks that deviate too much are left to the clock page, which asks for confirmation. */
const syncClock: Action<DcuRow> = {
  key: 'clock',
  label: texts.syncClock,
  icon: Clock,
  right: clock.order,
  isInMenu: true,
  refusedBy: whyNotOnline,
  batch: ONLINE_BATCH,
  act: {
    kind: 'task',
    start: (rows, reason) =>
      call(clock.order, { body: { operation: 'sync', devices: rows.map(({ id }) => ({ kind: 'dcu' as const, id })), reason } }),
    confirm: { title: texts.clockTitle, effect: texts.clockEffect, about: ({ sn }) => sn, reason: REASON },
    Run: runOf(texts.syncClock),
  },
};

const restart: Action<DcuRow> = {
  key: 'restart',
  label: texts.restart,
  icon: Power,
  right: dcus.restart,
  isDanger: true,
  isInMenu: true,
  refusedBy: whyNotOnline,
  act: {
    kind: 'task',
    start: ([row], reason) => call(dcus.restart, { params: { id: row.id }, body: { reason } }),
    confirm: { title: texts.restartTitle, effect: texts.restartEffect, reason: REASON },
    Run: runOf(texts.restartRun),
  },
};

const changeKeys: Action<DcuRow> = {
  key: 'keys',
  label: texts.changeKeys,
  icon: KeyRound,
  right: dcus.setKeys,
  isInMenu: true,
  act: { kind: 'form', Form: KeysForm },
};

const move: Action<DcuRow> = {
  key: 'move',
  label: texts.moveTo,
  icon: UtilityPole,
  right: dcus.move,
  isInMenu: true,
  batch: BATCH,
  act: { kind: 'dialog', Dialog: MoveDialog },
};

const remove = defineAction<DcuRow, typeof dcus.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  isInMenu: true,
  batch: BATCH,
  route: dcus.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: {
    title: texts.removeTitle,
    effect: texts.removeEffect,
    action: texts.removeDcus,
    about: ({ sn, name }) => `${sn} · ${name}`,
  },
  done: texts.removed,
  removesRow: true,
});

const page = (head: Parameters<typeof openAction<DcuRow>>[0], to: (row: DcuRow) => string): Action<DcuRow> => ({
  ...openAction(head, to),
  isInMenu: true,
});

/** In the order of the menu. */
export const dcuActions: readonly Action<DcuRow>[] = [
  testLink,
  readInfo,
  syncClock,
  restart,
  page({ key: 'archives', label: texts.archives, icon: FileStack, right: archive.list }, ({ id }) => to.archives({ dcuId: id })),
  page({ key: 'topology', label: texts.topology, icon: Network, right: topology.get }, ({ id }) => to.topology({ dcu: id })),
  page({ key: 'configuration', label: texts.configuration, icon: SlidersHorizontal, right: dcuConfig.list }, ({ id }) =>
    to.dcuConfiguration({ dcu: id }),
  ),
  page({ key: 'logs', label: texts.logs, icon: ScrollText, right: dcuLog.list }, ({ id }) => to.dcuLog({ node: `dcu:${id}` })),
  page({ key: 'upgrade', label: texts.upgrade, icon: HardDriveUpload, right: upgradeJob.list }, () => to.upgrades({ tab: 'new' })),
  page({ key: 'logs', label: texts.logs, icon: ScrollText, right: dcuLog.list }, ({ id }) => to.dcuLog({ node: `dcu:${id}` })),
  page({ key: 'upgrade', label: texts.upgrade, icon: HardDriveUpload, right: upgradeJob.list }, () => to.upgrades({ tab: 'new' })),
  { ...editAction(dcus.update, EditForm), isInMenu: true },
  changeKeys,
  move,
  remove,
];
