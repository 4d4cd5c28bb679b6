import { module as routes, type ModuleRow } from '@hes/contract/manager/module.ts';
import { App } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { ModuleDialog } from './columns.tsx';
import { ModuleForm } from './module-form.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { texts } from './texts.ts';

interface DialogsProps {
  dialog: ModuleDialog | undefined;
  modules: ModuleRow[];
  onClose: () => void;
  onChanged: () => void;
}

/** The dialogs above the tree. */
export function Dialogs({ dialog, modules, onClose, onChanged }: DialogsProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const done = (sentence: 'saved' | 'moved' | 'removed') => () => {
    void message.success(t(sentence));
    onClose();
    onChanged();
  };
  const remove = useApiMutation(routes.remove, { success: done('removed') });
  const move = useApiMutation(routes.move, { success: done('moved') });
  const close = () => {
    remove.reset();
    move.reset();
    onClose();
  };
  if (!dialog) return null;
  if (dialog.kind === 'add' || dialog.kind === 'edit')
    return (
      <ModuleForm
        module={dialog.kind === 'edit' ? dialog.module : undefined}
        parentId={dialog.kind === 'add' ? dialog.parentId : null}
        modules={modules}
        onDone={done('saved')}
        onClose={close}
      />
    );
  const { module } = dialog;
  if (dialog.kind === 'move')
    return (
      <MoveDialog
        module={module}
        modules={modules}
        busy={move.isPending}
        failure={move.error?.message}
        onMove={(parentId) => move.mutate({ params: { id: module.id }, body: { parentId, version: module.version } })}
        onClose={close}
      />
    );
  return (
    <DangerDialog
      title={t('removeTitle')}
      effect={t('removeEffect')}
      action={t('removeModule')}
      about={`${module.nameEn} · ${module.path}`}
      busy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate({ params: { id: module.id } })}
      onClose={close}
    />
  );
}
