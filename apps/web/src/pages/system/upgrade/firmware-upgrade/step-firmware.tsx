import { UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { firmware, type FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { useEveryRow } from '#core/api/every-row.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

/** Chooses a firmware; only those approved by a second user. */
export function FirmwareStep({ selected, onSelect }: { selected: string | undefined; onSelect: (id: string) => void }) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const query = useEveryRow(firmware.list, { state: 'approved' });
  const columns: Column<FirmwareRow>[] = [
    { key: 'name', title: t('name'), width: 180, cell: (row) => row.name },
    { key: 'version', title: t('version'), width: 120, mono: true, cell: (row) => row.version },
    { key: 'kind', title: t('targetKind'), width: 160, cell: (row) => say(UPGRADE_TARGET_TEXT[row.targetKind]) },
    { key: 'types', title: t('types'), cell: (row) => row.types.map(({ name }) => called(name)).join(', ') },
    { key: 'size', title: t('size'), width: 120, align: 'right', cell: (row) => <Num value={row.size} unit={t('octets')} /> },
    { key: 'createdAt', title: t('createdTime'), width: 160, cell: (row) => dateTime(row.createdAt) },
  ];
  return (
    <PanelState query={query} lines={8}>
      {(data) => (
        <div className={styles['table']}>
          <DataTable<FirmwareRow>
            label={t('stepFirmware')}
            columns={columns}
            rows={data}
            rowKey={(row) => row.id}
            selected={selected}
            onSelect={(row) => onSelect(row.id)}
            empty={<Empty text={t('noFirmware')} hint={t('onlyApproved')} />}
          />
        </div>
      )}
    </PanelState>
  );
}
