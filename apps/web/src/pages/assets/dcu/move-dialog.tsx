import { dcu as dcus, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { App, Modal } from 'antd';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { TransformerSelect } from '#domain/transformer-select/transformer-select.tsx';
import { texts } from './texts.ts';
import styles from './dcu.module.css';

/** Binds DCUs to another transformer. */
export function MoveDialog({ row: first, rows, onDone, onClose }: DialogProps<DcuRow>) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [place, setPlace] = useState<{ id: string | null; name: string | null }>({
    id: rows.length === 1 ? first.transformerId : null,
    name: rows.length === 1 ? first.transformerName : null,
  });
  const order = useApiMutation(dcus.move, {
    success: ({ moved }) => {
      void message.success(t('moved', { count: moved }));
      onDone();
    },
    failure: (error) => void message.error(error.message, 0),
  });
  return (
    <Modal
      open
      centered
      title={t('moveTitle', { count: rows.length })}
      okText={t('moveTo')}
      cancelText={t('cancel')}
      confirmLoading={order.isPending}
      onOk={() => order.mutate({ body: { ids: rows.map((row) => row.id), transformerId: place.id } })}
      onCancel={onClose}
    >
      <p className={styles['dim']}>{t('moveHint')}</p>
      <TransformerSelect
        label={t('transformer')}
        placeholder={t('noTransformer')}
        value={place.id}
        name={place.name}
        onChange={(id, name) => setPlace({ id, name })}
      />
    </Modal>
  );
}
