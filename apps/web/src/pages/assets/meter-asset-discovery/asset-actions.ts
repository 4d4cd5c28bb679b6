import { archive } from '@hes/contract/asset/archive.ts';
import { MAX_METERS_AT_ONCE, meter, type AssetRow } from '@hes/contract/asset/meter.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { ArrowLeftRight, Barcode, Cable, KeyRound, Star, StarOff, Tag, Trash2, Warehouse } from 'lucide-react';
import { defineAction, defineJointAction, type Action } from '#kit/list/action.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { printLabels } from '#domain/sn-labels/print-labels.ts';
import { BindToDcu, ChangeState, ChangeType } from './batch-dialogs.tsx';
import { EditForm, KeysForm, ReplaceDialog } from './detail-forms.tsx';
import { texts } from './texts.ts';

const BATCH = { most: MAX_METERS_AT_ONCE };

const changeKeys: Action<AssetRow> = {
  key: 'keys',
  label: texts.changeKeys,
  icon: KeyRound,
  right: meter.setKeys,
  isInMenu: true,
  act: { kind: 'form', Form: KeysForm },
};

const printOf: Action<AssetRow> = {
  key: 'labels',
  label: texts.labels,
  icon: Barcode,
  right: meter.assets,
  isInMenu: true,
  batch: BATCH,
  act: {
    kind: 'run',
    run: (_, rows, { say }) =>
      printLabels(
        say(texts.labels),
        rows.map((row) => ({ sn: row.sn, lines: [say(modelName(row.meterTypeName)), row.transformerName ?? ''] })),
      ),
  },
};

const bind: Action<AssetRow> = {
  key: 'bind',
  label: texts.bindTo,
  icon: Cable,
  right: archive.bind,
  isInMenu: true,
  when: ({ dcuId }) => dcuId === null,
  batch: { ...BATCH, refusal: texts.alreadyBound },
  act: { kind: 'dialog', Dialog: BindToDcu },
};

const replace: Action<AssetRow> = {
  key: 'replace',
  label: texts.replace,
  icon: ArrowLeftRight,
  right: meter.replace,
  isInMenu: true,
  when: (row) => row.inventoryState !== 'in_warehouse',
  act: { kind: 'dialog', Dialog: ReplaceDialog },
};

const changeState: Action<AssetRow> = {
  key: 'state',
  label: texts.changeState,
  icon: Warehouse,
  right: meter.setState,
  isInMenu: true,
  batch: BATCH,
  act: { kind: 'dialog', Dialog: ChangeState },
};

const changeType: Action<AssetRow> = {
  key: 'type',
  label: texts.changeType,
  icon: Tag,
  right: meter.setType,
  isInMenu: true,
  batch: BATCH,
  act: { kind: 'dialog', Dialog: ChangeType },
};

/** Makes meters master meters, or ordinary ones again. */
const masterAction = (isMaster: boolean): Action<AssetRow> =>
  defineJointAction<AssetRow, typeof meter.setMaster>({
    key: isMaster ? 'master' : 'no-master',
    label: isMaster ? texts.setMaster : texts.unsetMaster,
    icon: isMaster ? Star : StarOff,
    isInMenu: true,
    when: (row) => row.isMaster !== isMaster,
    batch: BATCH,
    route: meter.setMaster,
    order: (rows) => ({ body: { ids: rows.map(({ id }) => id), isMaster } }),
    done: texts.changed,
  });

const remove = defineAction<AssetRow, typeof meter.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  isInMenu: true,
  batch: BATCH,
  route: meter.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: {
    title: texts.removeTitle,
    effect: texts.removeEffect,
    action: texts.removeCount,
    about: ({ sn, meterTypeName }, { say }) => `${sn} · ${say(modelName(meterTypeName))}`,
  },
  done: texts.removed,
  removesRow: true,
});

/** In the order of the menu. */
export const assetActions: readonly Action<AssetRow>[] = [
  editAction(meter.update, EditForm),
  changeKeys,
  printOf,
  bind,
  replace,
  changeState,
  changeType,
  masterAction(true),
  masterAction(false),
  remove,
];
