import { meter as meters, replacement, type AssetDetail, type AssetRow } from '@hes/contract/asset/meter.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/states/device-text.ts';
import { App, Input, InputNumber, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { Field } from '#shared/form/field.tsx';
import { FormDrawer } from '#shared/form/form-drawer.tsx';
import { useForm } from '#shared/form/use-form.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { serverNow } from '#shared/time/format.ts';
import { Properties } from '#shared/ui/text.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const SHOWN = 50;
const MINUTE_MS = 60_000;

/** The clock of this computer, as `datetime-local` wants it. */
const localMinute = (at: number): string => new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);

/** A meter from the warehouse takes the place of one outside: last figure, first figure, and the place stays as it is. */
export function ReplaceForm({ meter, onDone, onClose }: { meter: AssetRow; onDone: (newId: string) => void; onClose: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const [search, setSearch] = useState('');
  const form = useForm({
    newMeterId: undefined as string | undefined, // nobody is chosen yet
    finalKwh: null as number | null, // the field is empty
    initialKwh: 0 as number | null, // as above
    at: localMinute(serverNow()),
    note: '',
  });
  const { values, set } = form;
  const shelf = useApiQuery(meters.assets, {
    query: { inventoryState: 'in_warehouse', bound: 'false', search: search.trim() || undefined, size: SHOWN },
    keep: true,
  });
  const order = useApiMutation(meters.replace, {
    success: (saved: AssetDetail) => {
      void message.success(t('replaced', { old: meter.sn, sn: saved.sn }));
      onDone(saved.id);
    },
    failure: form.refuse,
  });
  const save = () => {
    const at = new Date(values.at);
    const required = { finalKwh: values.finalKwh ?? undefined, initialKwh: values.initialKwh ?? undefined };
    const body = form.check(replacement, { ...required, at: Number.isNaN(at.getTime()) ? '' : at.toISOString() });
    if (body) order.mutate({ params: { id: meter.id }, body });
  };
  const labels = {
    finalKwh: t('finalKwh'),
    at: t('exchangeAt'),
    newMeterId: t('newMeter'),
    initialKwh: t('initialKwh'),
    note: t('note'),
  };
  const reading = (name: 'finalKwh' | 'initialKwh') => (
    <Field name={name} label={labels[name]} required>
      {(control) => (
        <InputNumber<number>
          {...control}
          style={{ width: '100%' }}
          min={0}
          precision={2}
          autoFocus={name === 'finalKwh'}
          value={values[name]}
          onChange={(value) => set({ [name]: value })}
        />
      )}
    </Field>
  );
  return (
    <FormDrawer
      title={t('replaceTitle', { sn: meter.sn })}
      form={form}
      labels={labels}
      saving={order.isPending}
      note={t('replaceNote')}
      onSave={save}
      onClose={onClose}
    >
      <h3 className={styles['group']}>{t('stepOld')}</h3>
      {reading('finalKwh')}
      <Field name="at" label={labels.at} required>
        {({ status: _, ...control }) => (
          <Input
            {...control}
            type="datetime-local"
            max={localMinute(serverNow())}
            value={values.at}
            onChange={(event) => set({ at: event.target.value })}
          />
        )}
      </Field>
      <h3 className={styles['group']}>{t('stepNew')}</h3>
      <Field name="newMeterId" label={labels.newMeterId} required help={t('newMeterHint')}>
        {({ status, ...control }) => (
          <Select
            {...control}
            {...(status === '' ? {} : { status })}
            style={{ width: '100%' }}
            showSearch={{ filterOption: false, onSearch: setSearch }}
            loading={shelf.isFetching}
            value={values.newMeterId ?? null}
            options={(shelf.data?.items ?? []).map((row) => ({ value: row.id, label: `${row.sn} · ${row.meterTypeName}` }))}
            onChange={(newMeterId) => set({ newMeterId: newMeterId ?? undefined })}
          />
        )}
      </Field>
      {reading('initialKwh')}
      <h3 className={styles['group']}>{t('stepStays')}</h3>
      <div className={styles['stays']}>
        <Properties
          items={[
            { label: t('customerNo'), value: [meter.customerNo, meter.customerName].filter(Boolean).join(' · ') || null },
            { label: t('address'), value: meter.address },
            { label: t('transformer'), value: meter.transformerName },
            { label: t('dcu'), value: meter.dcuSn },
            { label: t('recordedPhase'), value: say(RECORDED_PHASE_TEXT[meter.recordedPhase]) },
            { label: t('isMaster'), value: t(meter.isMaster ? 'yes' : 'no') },
            { label: `${t('ctRatio')} / ${t('ptRatio')}`, value: `${meter.ctRatio} / ${meter.ptRatio}` },
          ]}
        />
      </div>
      <Field name="note" label={labels.note} wide>
        {(control) => <Input {...control} autoComplete="off" value={values.note} onChange={(event) => set({ note: event.target.value })} />}
      </Field>
    </FormDrawer>
  );
}
