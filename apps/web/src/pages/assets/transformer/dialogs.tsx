import { transformer as routes, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { Alert, App, Modal, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { LevelSelect } from '#domain/node-tree/level-select.tsx';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

const WIDTH = 480;

/** Chooses the master meter, which measures the energy that the transformer supplies. */
export function MasterDialog({ row, onDone, onClose }: DialogProps<TransformerRow>) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [meterId, setMeterId] = useState<string | null>(row.masterMeterId);
  const [search, setSearch] = useState('');
  const meters = useApiQuery(routes.meters, { params: { id: row.id }, query: { search: search || undefined }, keep: true });
  const order = useApiMutation(routes.setMaster, {
    success: () => {
      void message.success(t('masterSet'));
      onDone();
    },
  });
  const known = meters.data?.items ?? [];
  const own =
    row.masterMeterId && !known.some((meter) => meter.id === row.masterMeterId)
      ? [{ value: row.masterMeterId, label: row.masterMeterSn ?? '' }]
      : [];
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={`${t('setMaster')} · ${row.name}`}
      okText={t('confirm')}
      cancelText={t('cancel')}
      confirmLoading={order.isPending}
      onOk={() => order.mutate({ params: { id: row.id }, body: { meterId } })}
      onCancel={onClose}
    >
      <p className={styles['hint']}>{t('masterHint')}</p>
      <PanelState query={meters} isEmpty={(data) => data.items.length === 0 && search === ''} empty={<Empty small text={t('noMeters')} />}>
        {(data) => (
          <Select
            allowClear
            showSearch={{ filterOption: false, onSearch: setSearch }}
            style={{ width: '100%' }}
            placeholder={t('noMaster')}
            aria-label={t('chooseMeter')}
            value={meterId}
            options={[...own, ...data.items.map((meter) => ({ value: meter.id, label: meter.sn }))]}
            onChange={(value: string | undefined) => setMeterId(value ?? null)}
          />
        )}
      </PanelState>
      {order.error ? <Alert type="error" showIcon role="alert" title={order.error.message} /> : null}
    </Modal>
  );
}

/** Moves transformers to another level. */
export function MoveDialog({ rows, onDone, onClose }: DialogProps<TransformerRow>) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [level, setLevel] = useState({ id: '', name: '' });
  const order = useApiMutation(routes.moveMany, {
    success: ({ moved }) => {
      void message.success(t('moved', { count: moved }));
      onDone();
    },
  });
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('moveTitle', { count: rows.length })}
      okText={t('confirm')}
      cancelText={t('cancel')}
      confirmLoading={order.isPending}
      onOk={() =>
        level.id === ''
          ? void message.warning(t('selectNode'))
          : order.mutate({ body: { ids: rows.map((row) => row.id), levelId: level.id } })
      }
      onCancel={onClose}
    >
      <LevelSelect aria-label={t('level')} value={level.id} name={level.name} onChange={(id, name) => setLevel({ id, name })} />
      {order.error ? <Alert type="error" showIcon role="alert" title={order.error.message} style={{ marginTop: 12 }} /> : null}
    </Modal>
  );
}
