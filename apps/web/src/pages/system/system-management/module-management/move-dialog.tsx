import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { Alert, Modal } from 'antd';
import { useId, useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ParentSelect } from './parent-select.tsx';
import { texts } from './texts.ts';
import styles from './module.module.css';

const WIDTH = 460;

interface MoveDialogProps {
  module: ModuleRow;
  modules: ModuleRow[];
  busy: boolean;
  failure: string | undefined;
  onMove: (parentId: string | null) => void;
  onClose: () => void;
}

/** Moves a module to another group. */
export function MoveDialog({ module, modules, busy, failure, onMove, onClose }: MoveDialogProps) {
  const t = useMessages(texts);
  const id = useId();
  const [parentId, setParentId] = useState(module.parentId);
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('moveTitle', { name: module.nameEn })}
      okText={t('moveTo')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: parentId === module.parentId }}
      confirmLoading={busy}
      onOk={() => onMove(parentId)}
      onCancel={onClose}
    >
      <label htmlFor={id}>{t('parent')}</label>
      <ParentSelect
        id={id}
        className={styles['parent'] ?? ''}
        modules={modules}
        moving={module.id}
        value={parentId}
        onChange={setParentId}
      />
      <p className={styles['hint']}>{t(parentId === null ? 'topHelp' : 'moveHint')}</p>
      {failure === undefined ? null : <Alert type="error" showIcon role="alert" title={failure} className={styles['alert'] ?? ''} />}
    </Modal>
  );
}
