import { meter as meters, replacement, type AssetDetail, type AssetRow } from '@hes/contract/asset/meter.ts';
import { id } from '@hes/contract/core/page.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { App, Input } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, instantOf, serverNow } from '#core/time/format.ts';
import { Properties } from '#kit/basics/text.tsx';
import { ExchangeRegisters, shownOf, type Typed } from './exchange-registers.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const SHOWN = 50;

/** The local time of the utility in the format of `datetime-local`. */
const localMinute = (at: number): string => dateTime(at).slice(0, 16).replace(' ', 'T');

/** The data of the connection point, which stay when the meter is replaced. */
function Stays({ meter }: { meter: AssetRow }) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <>
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
    </>
  );
}

const order = replacement.extend({ oldMeterId: id });

/** The stored registers of a meter within a time range. */
function useShown(
  meterId: string | undefined,
  at: string | undefined,
  query: { notBefore?: string | undefined; notAfter?: string | undefined },
) {
  const found = useApiQuery(meters.frozenRegisters, {
    params: { id: meterId ?? '' },
    query,
    enabled: meterId !== undefined && at !== undefined,
  });
  return found.data?.reading ?? null;
}

/** Sorts by the last contact, oldest first: a meter without contact is probably the removed one. */
const byLastContact = (a: AssetRow, b: AssetRow): number => (a.lastCommAt ?? '').localeCompare(b.lastCommAt ?? '');

interface ReplaceFormProps {
  /** The old meter; undefined: to be chosen from the DCU that discovered the new one. */
  meter?: AssetRow;
  /** The new meter; undefined: to be chosen from the inventory. */
  fresh?: { id: string; sn: string; dcuId: string };
  onDone: (newId: string) => void;
  onClose: () => void;
}

/** Replaces a meter: final and initial registers; the connection point stays. */
export function ReplaceForm({ meter, fresh, onDone, onClose }: ReplaceFormProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const { message } = App.useApp();
  const [search, setSearch] = useState('');
  const form = useForm({
    oldMeterId: meter?.id,
    newMeterId: fresh?.id,
    // Undefined and absent values: not typed yet.
    finalKwh: undefined as Typed['plus'], // as: the field may be emptied
    final: {} as Typed['others'], // as: any of them may be typed
    initialKwh: undefined as Typed['plus'], // as above
    initial: {} as Typed['others'], // as above
    at: localMinute(serverNow()),
    note: '',
  });
  const { values, set } = form;
  const among = fresh ? { node: `dcu:${fresh.dcuId}` as const } : { inventoryState: 'in_warehouse', bound: 'false' };
  const others = useApiQuery(meters.assets, { query: { ...among, search: search.trim() || undefined, size: SHOWN }, keep: true });
  const candidates = others.data?.items ?? [];
  const old = meter ?? candidates.find((row) => row.id === values.oldMeterId);
  const replace = useApiMutation(meters.replace, {
    success: (saved: AssetDetail) => {
      void message.success(t('replaced', { old: old?.sn ?? '', sn: saved.sn }));
      onDone(saved.id);
    },
    failure: form.refuse,
  });
  const at = instantOf(values.at);
  // A disconnected meter does not count: readings after the removal and before the installation show the registers at the replacement.
  const oldReading = useShown(values.oldMeterId, at, { notBefore: at });
  const newReading = useShown(values.newMeterId, at, { notAfter: at });
  const typed = {
    final: { plus: values.finalKwh, others: values.final },
    initial: { plus: values.initialKwh, others: values.initial },
  };
  const final = shownOf(typed.final, oldReading, null);
  const initial = shownOf(typed.initial, newReading, 0);
  const save = () => {
    const figures = {
      finalKwh: final.plus ?? undefined,
      final: final.others,
      initialKwh: initial.plus ?? undefined,
      initial: initial.others,
    };
    const checked = form.check(order, { ...figures, at: at ?? '' });
    if (!checked) return;
    const { oldMeterId, ...body } = checked;
    replace.mutate({ params: { id: oldMeterId }, body });
  };
  const labels = {
    finalKwh: t('finalKwh'),
    at: t('exchangeAt'),
    oldMeterId: t('oldMeter'),
    newMeterId: t('newMeter'),
    initialKwh: t('initialKwh'),
    note: t('note'),
  };
  const field = formFields(form, labels);
  const choice = (name: 'oldMeterId' | 'newMeterId', help: string, rows: AssetRow[], wordOf: (row: AssetRow) => string) =>
    field.choice(
      name,
      rows.map((row) => ({ value: row.id, label: wordOf(row) })),
      {
        required: true,
        help,
        wide: name === 'oldMeterId',
        loading: others.isFetching,
        onSearch: setSearch,
        onChoose: (chosen) => set({ [name]: chosen }),
      },
    );
  const heardOf = (row: AssetRow): string =>
    [row.sn, row.customerNo, row.lastCommAt === null ? t('neverHeard') : dateTime(row.lastCommAt)].filter(Boolean).join(' · ');
  return (
    <FormDrawer
      record={`replacement/${meter?.id ?? ''}/${fresh?.id ?? ''}`}
      title={fresh ? t('replaceByTitle', { sn: fresh.sn }) : t('replaceTitle', { sn: meter?.sn ?? '' })}
      form={form}
      labels={labels}
      saving={replace.isPending}
      note={t('replaceNote')}
      onSave={save}
      onClose={onClose}
    >
      <h3 className={styles['group']}>{t('stepOld')}</h3>
      {fresh ? choice('oldMeterId', t('oldMeterHint'), candidates.toSorted(byLastContact), heardOf) : null}
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
      <ExchangeRegisters
        side="final"
        typed={typed.final}
        shown={final}
        reading={oldReading}
        autoFocus={meter !== undefined}
        onChange={({ plus, others: rest }) => set({ finalKwh: plus, final: rest })}
      />
      <h3 className={styles['group']}>{t('stepNew')}</h3>
      {fresh ? null : choice('newMeterId', t('newMeterHint'), candidates, (row) => `${row.sn} · ${called(row.meterTypeName)}`)}
      <ExchangeRegisters
        side="initial"
        typed={typed.initial}
        shown={initial}
        reading={newReading}
        autoFocus={false}
        onChange={({ plus, others: rest }) => set({ initialKwh: plus, initial: rest })}
      />
      {old ? <Stays meter={old} /> : null}
      {field.text('note', { wide: true })}
    </FormDrawer>
  );
}
