import { module as routes, type ModuleRow } from '@hes/contract/manager/module.ts';
import { Alert, App, Modal } from 'antd';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { ParentSelect } from './parent-select.tsx';
import { texts } from './texts.ts';
import styles from './module.module.css';

const WIDTH = 460;

/** Moves a module to another group. */
export function MoveDialog({ row, onDone, onClose }: DialogProps<ModuleRow>) {
  const t = useMessages(texts);
  const id = useId();
  const { message } = App.useApp();
  const [parentId, setParentId] = useState(row.parentId);
  const moved = () => {
    void message.success(t('moved'));
    onDone();
  };
  const move = useApiMutation(routes.move, { success: moved });
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('moveTitle', { name: row.nameEn })}
      okText={t('moveTo')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: parentId === row.parentId }}
      confirmLoading={move.isPending}
      onOk={() => move.mutate({ params: { id: row.id }, body: { parentId, version: row.version } })}
      onCancel={onClose}
    >
      <label htmlFor={id}>{t('parent')}</label>
      <ParentSelect id={id} className={styles['field'] ?? ''} moving={row.id} value={parentId} onChange={setParentId} />
      <p className={styles['hint']}>{t(parentId === null ? 'topHelp' : 'moveHint')}</p>
      {move.error ? <Alert type="error" showIcon role="alert" title={move.error.message} className={styles['alert'] ?? ''} /> : null}
    </Modal>
  );
}
