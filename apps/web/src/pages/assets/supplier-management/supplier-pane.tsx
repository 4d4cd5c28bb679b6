import { supplier, type SupplierRow } from '@hes/contract/asset/supplier.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { to } from '@hes/contract/page/links.ts';
import { Truck } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Num } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { ModelName } from '#domain/models/model-name.tsx';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
import { useCountries } from './countries.ts';
import { texts } from './messages.ts';
import { SupplierTypes } from './supplier-types.tsx';

/** The details of a supplier. */
export function SupplierPane({ id, rows, select, buttonsOf }: PaneProps<SupplierRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const countries = useCountries();
  const query = useApiQuery(supplier.get, { params: { id } });
  return (
    <RecordPane<SupplierRow>
      id={id}
      rows={rows}
      query={query}
      label={query.data ? say(modelName(query.data.name)) : t('title')}
      icon={<Truck size={20} aria-hidden="true" />}
      head={(row) => ({
        title: <ModelName row={row} />,
        place: row.code,
        state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
      })}
      actions={(row) => (
        <>
          {buttonsOf(row)}
          <Link to={to.dcuTypes({ supplierId: row.id })}>{t('openDcuTypes')}</Link>
          <Link to={to.meterTypes({ supplierId: row.id })}>{t('openMeterTypes')}</Link>
        </>
      )}
      properties={(row) => [
        { label: t('flagId'), value: row.flagId ? <span className="mono">{row.flagId}</span> : null },
        { label: t('contact'), value: row.contact },
        { label: t('phone'), value: row.phone },
        { label: t('email'), value: row.email },
        { label: t('address'), value: row.address },
        { label: t('country'), value: countries.find(({ value }) => value === row.country)?.label ?? row.country },
        { label: t('types'), value: <Num value={row.types} /> },
        { label: t('devices'), value: <Num value={row.devices} /> },
        { label: t('updated'), value: dateTime(row.updatedAt) },
        { label: t('note'), value: row.note },
      ]}
      onSelect={select}
    >
      {(row) => <SupplierTypes supplierId={row.id} />}
    </RecordPane>
  );
}
