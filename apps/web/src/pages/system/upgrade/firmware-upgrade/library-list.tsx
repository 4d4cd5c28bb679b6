import { supplier } from '@hes/contract/asset/supplier.ts';
import { FIRMWARE_STATE_TEXT, SIGNATURE_TEXT, UPGRADE_PROTOCOL_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { DELIVERED_ROLES } from '@hes/contract/text/roles.ts';
import { firmwareExport } from '@hes/contract/transfer/orders.ts';
import { firmware } from '@hes/contract/upgrade/firmware.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { FileUp } from 'lucide-react';
import { useEveryRow } from '#core/api/every-row.ts';
import { Model, useModelName } from '#domain/models/model.tsx';
import { Num } from '#kit/basics/text.tsx';
import { objectFilter, textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { FIRMWARE } from '#domain/upgrade-state/upgrade-tables.ts';
import { FirmwareForm } from './firmware-form.tsx';
import { FirmwarePane } from './firmware-pane.tsx';
import { libraryActions, nameOf } from './library-actions.ts';
import { texts } from './messages.ts';

const listed = (words: readonly string[]) => <span title={words.join('\n')}>{words.join(', ') || '—'}</span>;

function useSuppliers() {
  const called = useModelName();
  const suppliers = useEveryRow(supplier.list, {});
  return (suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: called(name) }));
}

export const libraryList = defineList({
  route: firmware.list,
  path: PAGE_PATH.upgrades,
  at: { tab: 'library' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.library,
  rowName: nameOf,
  sort: 'createdAt,desc',
  filters: [
    textFilter('name', texts.name),
    textFilter('version', texts.version, { width: 140 }),
    wordFilter('targetKind', texts.targetKind, UPGRADE_TARGET_TEXT),
    objectFilter('supplierId', texts.manufacturer, { useOptions: useSuppliers, right: supplier.list, width: 170 }),
    wordFilter('state', texts.state, FIRMWARE_STATE_TEXT),
  ],
  /** With the field names of the specification. */
  columns: [
    { key: 'name', title: texts.name, width: 150, sort: 'name', cell: (row) => <span title={row.name}>{row.name}</span> },
    { key: 'version', title: texts.version, width: 124, mono: true, sort: 'version', cell: (row) => row.version },
    {
      key: 'upgradeProtocol',
      title: texts.upgradeProtocol,
      width: 150,
      low: true,
      cell: (row, { say }) => say(UPGRADE_PROTOCOL_TEXT[row.upgradeProtocol]),
    },
    {
      key: 'size',
      title: texts.size,
      width: 100,
      align: 'right',
      sort: 'size',
      value: (row) => row.size,
      cell: (row, { say }) => <Num value={row.size} unit={say(texts.octets)} />,
    },
    { key: 'createdAt', title: texts.createdTime, width: 160, sort: 'createdAt', time: (row) => row.createdAt },
    {
      key: 'supplierName',
      title: texts.manufacturer,
      width: 130,
      low: true,
      cell: (row) => <Model name={row.supplierName} />,
    },
    {
      key: 'upgradeFile',
      title: texts.upgradeFile,
      width: 140,
      low: true,
      cell: (row) => <span title={row.upgradeFile}>{row.upgradeFile}</span>,
    },
    {
      key: 'upgradeReason',
      title: texts.upgradeReason,
      low: true,
      cell: (row) => <span title={row.upgradeReason}>{row.upgradeReason}</span>,
    },
    {
      key: 'fileProvider',
      title: texts.fileProvider,
      width: 112,
      low: true,
      cell: (row) => <span title={row.fileProvider}>{row.fileProvider}</span>,
    },
    {
      key: 'blockSize',
      title: texts.blockSize,
      width: 130,
      align: 'right',
      low: true,
      value: (row) => row.blockSize,
      cell: (row) => <Num value={row.blockSize} />,
    },
    { key: 'targetKind', title: texts.targetKind, width: 150, low: true, cell: (row, { say }) => say(UPGRADE_TARGET_TEXT[row.targetKind]) },
    {
      key: 'types',
      title: texts.types,
      width: 160,
      low: true,
      cell: (row, { say }) => listed(row.types.map(({ name }) => say(modelName(name)))),
    },
    { key: 'fromVersions', title: texts.fromVersions, width: 140, mono: true, low: true, cell: (row) => listed(row.fromVersions) },
    { key: 'signature', title: texts.signature, width: 140, low: true, cell: (row, { say }) => say(SIGNATURE_TEXT[row.signature]) },
    { key: 'sha256', title: texts.sha256, width: 140, mono: true, low: true, cell: (row) => <span title={row.sha256}>{row.sha256}</span> },
    { key: 'state', title: texts.state, width: 124, sort: 'state', cell: (row) => <StateOf sign={FIRMWARE[row.state]} /> },
  ],
  actions: libraryActions,
  add: { label: texts.addFirmware, icon: FileUp, right: firmware.create, Form: FirmwareForm, done: texts.saved },
  export: firmwareExport,
  Pane: FirmwarePane,
  empty: texts.noFirmware,
  emptyHint: ({ may, say }) =>
    may(firmware.create) ? say(texts.noFirmwareHint) : say(texts.mayNotAdd, { role: say(DELIVERED_ROLES.FW_ENGINEER.name) }),
});
