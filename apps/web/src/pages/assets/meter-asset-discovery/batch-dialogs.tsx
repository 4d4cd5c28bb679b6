import { archive } from '@hes/contract/asset/archive.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { meter as meters, type AssetRow } from '@hes/contract/asset/meter.ts';
import { inventoryState } from '@hes/contract/states/device.ts';
import { INVENTORY_TEXT } from '@hes/contract/text/device-text.ts';
import { Alert, App, Input, InputNumber, Modal, Segmented, Select } from 'antd';
import { useId, useState, type ReactNode } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { TransformerSelect } from '#domain/transformer-select/transformer-select.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const DCUS_SHOWN = 50;

const idsOf = (rows: readonly AssetRow[]): string[] => rows.map((row) => row.id);

function DialogField({ label, help, children }: { label: string; help?: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className={styles['dialogField']}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {help ? <span className={styles['dim']}>{help}</span> : null}
    </div>
  );
}

export function ChangeState({ rows, onDone, onClose }: DialogProps<AssetRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const [state, setState] = useState<(typeof inventoryState.options)[number]>(
    rows.every((row) => row.inventoryState === 'in_warehouse') ? 'installed' : 'in_warehouse',
  );
  const [place, setPlace] = useState<{ id: string | null; name: string | null }>({ id: null, name: null });
  const [finalKwh, setFinalKwh] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const order = useApiMutation(meters.setState, {
    success: ({ changed }) => {
      void message.success(t('changed', { count: changed }));
      onDone();
    },
  });
  const needsPlace = state === 'installed' && rows.some((row) => row.inventoryState === 'in_warehouse');
  return (
    <Modal
      open
      centered
      title={t('stateTitle', { count: rows.length })}
      okText={t('changeState')}
      cancelText={t('cancel')}
      confirmLoading={order.isPending}
      onOk={() =>
        order.mutate({
          body: {
            ids: idsOf(rows),
            state,
            reason,
            ...(needsPlace ? { transformerId: place.id } : {}),
            ...(state === 'in_warehouse' ? { finalKwh } : {}),
          },
        })
      }
      onCancel={onClose}
    >
      <p className={styles['dim']}>{t('stateHelp')}</p>
      <Segmented
        aria-label={t('toState')}
        value={state}
        options={inventoryState.options.map((value) => ({ value, label: say(INVENTORY_TEXT[value]) }))}
        onChange={setState}
      />
      {needsPlace ? (
        <DialogField label={t('transformer')}>
          {() => (
            <TransformerSelect
              label={t('transformer')}
              value={place.id}
              name={place.name}
              onChange={(id, name) => setPlace({ id, name })}
            />
          )}
        </DialogField>
      ) : null}
      {state === 'in_warehouse' ? (
        <DialogField label={t('finalKwh')} help={t('finalHelp')}>
          {(id) => <InputNumber<number> id={id} style={{ width: '100%' }} min={0} precision={2} value={finalKwh} onChange={setFinalKwh} />}
        </DialogField>
      ) : null}
      <DialogField label={t('reason')}>
        {(id) => <Input id={id} maxLength={128} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </DialogField>
      {order.error ? <Alert type="error" showIcon role="alert" className={styles['alert'] ?? ''} title={order.error.message} /> : null}
    </Modal>
  );
}

export function ChangeType({ rows, onDone, onClose }: DialogProps<AssetRow>) {
  const t = useMessages(texts);
  const called = useModelName();
  const { message } = App.useApp();
  const options = useApiQuery(meters.options);
  const [meterTypeId, setType] = useState<string>();
  const order = useApiMutation(meters.setType, {
    success: ({ changed }) => {
      void message.success(t('changed', { count: changed }));
      onDone();
    },
  });
  return (
    <Modal
      open
      centered
      title={t('typeTitle', { count: rows.length })}
      okText={t('changeType')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: meterTypeId === undefined }}
      confirmLoading={order.isPending}
      onOk={() => meterTypeId && order.mutate({ body: { ids: idsOf(rows), meterTypeId } })}
      onCancel={onClose}
    >
      <p className={styles['dim']}>{t('typeHint')}</p>
      <DialogField label={t('type')}>
        {(id) => (
          <Select
            id={id}
            style={{ width: '100%' }}
            value={meterTypeId ?? null}
            options={(options.data?.types ?? []).map((type) => ({ value: type.id, label: `${called(type.name)} (${type.code})` }))}
            onChange={(value) => setType(value ?? undefined)}
          />
        )}
      </DialogField>
      {order.error ? <Alert type="error" showIcon role="alert" className={styles['alert'] ?? ''} title={order.error.message} /> : null}
    </Modal>
  );
}

export function BindToDcu({ rows, onDone, onClose }: DialogProps<AssetRow>) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: ReactNode }>();
  const dcus = useApiQuery(dcu.list, { query: { search: search.trim() || undefined, size: DCUS_SHOWN }, keep: true });
  const order = useApiMutation(archive.bind, {
    success: ({ items }) => {
      void message.success(t('bound', { count: items.length }));
      onDone();
    },
  });
  return (
    <Modal
      open
      centered
      title={t('bindTitle', { count: rows.length })}
      okText={t('bind')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: chosen === undefined }}
      confirmLoading={order.isPending}
      onOk={() => chosen && order.mutate({ body: { dcuId: chosen.value, meterIds: idsOf(rows) } })}
      onCancel={onClose}
    >
      <DialogField label={t('dcu')} help={t('chooseDcu')}>
        {(id) => (
          <Select
            id={id}
            style={{ width: '100%' }}
            showSearch={{ filterOption: false, onSearch: setSearch }}
            loading={dcus.isFetching}
            labelInValue
            value={chosen}
            options={(dcus.data?.items ?? []).map((row) => ({ value: row.id, label: `${row.sn} · ${row.transformerName ?? row.name}` }))}
            onChange={setChosen}
          />
        )}
      </DialogField>
      {order.error ? <Alert type="error" showIcon role="alert" className={styles['alert'] ?? ''} title={order.error.message} /> : null}
    </Modal>
  );
}
