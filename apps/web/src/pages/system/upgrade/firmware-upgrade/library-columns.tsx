import type { Text } from '@hes/contract/core/text.ts';
import { SIGNATURE_TEXT, UPGRADE_PROTOCOL_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import type { FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { Model } from '#shared/i18n/model-name.tsx';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Num } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { FIRMWARE } from '#widgets/upgrade-state/upgrade-tables.ts';
import type { texts } from './messages.ts';

const listed = (words: readonly string[]) => <span title={words.join('\n')}>{words.join(', ') || '—'}</span>;

/** The columns of the library, with the field names of the specification; next to an open pane only the identifying ones. */
export function libraryColumns(t: Translate<typeof texts>, say: (text: Text) => string): Column<FirmwareRow>[] {
  return [
    { key: 'name', title: t('name'), width: 150, sort: 'name', cell: (row) => <span title={row.name}>{row.name}</span> },
    { key: 'version', title: t('version'), width: 124, mono: true, sort: 'version', cell: (row) => row.version },
    {
      key: 'upgradeProtocol',
      title: t('upgradeProtocol'),
      width: 150,
      low: true,
      cell: (row) => say(UPGRADE_PROTOCOL_TEXT[row.upgradeProtocol]),
    },
    {
      key: 'size',
      title: t('size'),
      width: 100,
      align: 'right',
      sort: 'size',
      value: (row) => row.size,
      cell: (row) => <Num value={row.size} unit={t('octets')} />,
    },
    { key: 'createdAt', title: t('createdTime'), width: 160, sort: 'createdAt', cell: (row) => dateTime(row.createdAt) },
    {
      key: 'supplierName',
      title: t('manufacturer'),
      width: 130,
      low: true,
      cell: (row) => <Model name={row.supplierName} />,
    },
    {
      key: 'upgradeFile',
      title: t('upgradeFile'),
      width: 140,
      low: true,
      cell: (row) => <span title={row.upgradeFile}>{row.upgradeFile}</span>,
    },
    {
      key: 'upgradeReason',
      title: t('upgradeReason'),
      low: true,
      cell: (row) => <span title={row.upgradeReason}>{row.upgradeReason}</span>,
    },
    {
      key: 'fileProvider',
      title: t('fileProvider'),
      width: 112,
      low: true,
      cell: (row) => <span title={row.fileProvider}>{row.fileProvider}</span>,
    },
    {
      key: 'blockSize',
      title: t('blockSize'),
      width: 130,
      align: 'right',
      low: true,
      value: (row) => row.blockSize,
      cell: (row) => <Num value={row.blockSize} />,
    },
    { key: 'targetKind', title: t('targetKind'), width: 150, low: true, cell: (row) => say(UPGRADE_TARGET_TEXT[row.targetKind]) },
    { key: 'types', title: t('types'), width: 160, low: true, cell: (row) => listed(row.types.map(({ name }) => say(modelName(name)))) },
    { key: 'fromVersions', title: t('fromVersions'), width: 140, mono: true, low: true, cell: (row) => listed(row.fromVersions) },
    { key: 'signature', title: t('signature'), width: 140, low: true, cell: (row) => say(SIGNATURE_TEXT[row.signature]) },
    { key: 'sha256', title: t('sha256'), width: 140, mono: true, low: true, cell: (row) => <span title={row.sha256}>{row.sha256}</span> },
    { key: 'state', title: t('state'), width: 100, sort: 'state', cell: (row) => <StateOf sign={FIRMWARE[row.state]} /> },
  ];
}
