import { dcuType } from '@hes/contract/asset/dcu-type.ts';
import { meterType } from '@hes/contract/asset/meter-type.ts';
import { to } from '@hes/contract/page/links.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { texts } from './messages.ts';

const SHOWN = 100;

interface TypeOf {
  key: string;
  name: string;
  kind: string;
  devices: number;
  address: string;
}

/** The DCU and meter types of a supplier with their devices, as far as the user may see them. */
export function SupplierTypes({ supplierId }: { supplierId: string }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const query = { supplierId: [supplierId], size: SHOWN };
  const dcus = useApiQuery(dcuType.list, { query, enabled: may(dcuType.list) });
  const meters = useApiQuery(meterType.list, { query, enabled: may(meterType.list) });
  const rows: TypeOf[] = [
    ...(dcus.data?.items ?? []).map((row) => ({
      key: `dcu/${row.id}`,
      name: row.name,
      kind: t('openDcuTypes'),
      devices: row.dcus,
      address: to.dcuTypes({ sel: row.id }),
    })),
    ...(meters.data?.items ?? []).map((row) => ({
      key: `meter/${row.id}`,
      name: row.name,
      kind: t('openMeterTypes'),
      devices: row.meters,
      address: to.meterTypes({ sel: row.id }),
    })),
  ];
  const columns: Column<TypeOf>[] = [
    { key: 'name', title: t('types'), width: 230, cell: (row) => <Link to={row.address}>{say(modelName(row.name))}</Link> },
    { key: 'kind', title: t('kindOfType'), width: 140, cell: (row) => row.kind },
    { key: 'devices', title: t('devices'), width: 100, align: 'right', cell: (row) => <Num value={row.devices} /> },
  ];
  return (
    <PaneSection title={t('types')} note={String(rows.length)}>
      <DataTable label={t('types')} columns={columns} rows={rows} rowKey={({ key }) => key} empty={<Empty small text={t('noTypes')} />} />
    </PaneSection>
  );
}
