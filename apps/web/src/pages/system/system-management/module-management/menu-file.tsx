import { module as routes, moduleFile, type ModuleFile } from '@hes/contract/manager/module.ts';
import { App, Button, Dropdown } from 'antd';
import { FileJson, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { saveFile } from '#core/files/download-csv.ts';
import { texts } from './texts.ts';

type Question = { kind: 'restore' } | { kind: 'import'; name: string; file: ModuleFile };

async function menuIn(file: File): Promise<ModuleFile | undefined> {
  try {
    return moduleFile.safeParse(JSON.parse(await file.text())).data;
  } catch {
    return undefined;
  }
}

/** Exports and imports the menu as a file, and resets it to the delivered one. */
export function MenuFile({ onChanged }: { onChanged: () => void }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const [question, setQuestion] = useState<Question>();
  const events = {
    success: () => {
      void message.success(t('menuReplaced'));
      setQuestion(undefined);
      onChanged();
    },
  };
  const replace = useApiMutation(routes.importTree, events);
  const restore = useApiMutation(routes.restore, events);
  const save = async () => {
    const answer = await call(routes.exportTree);
    if (answer.ok) saveFile('modules.json', new Blob([`${JSON.stringify(answer.data, null, 2)}\n`], { type: 'application/json' }));
    else void message.error(answer.error.message, 0);
  };
  const choose = async (file: File) => {
    const menu = await menuIn(file);
    if (menu) setQuestion({ kind: 'import', name: file.name, file: menu });
    else void message.error(t('noMenu', { name: file.name }), 0);
  };
  const close = () => {
    replace.reset();
    restore.reset();
    setQuestion(undefined);
  };
  const items = [
    ...(may(routes.exportTree) ? [{ key: 'export', label: t('exportJson'), onClick: () => void save() }] : []),
    ...(may(routes.importTree) ? [{ key: 'import', label: t('importJson'), onClick: () => input?.click() }] : []),
    ...(may(routes.restore)
      ? [{ key: 'restore', danger: true, label: t('restore'), onClick: () => setQuestion({ kind: 'restore' }) }]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Dropdown trigger={['click']} autoFocus menu={{ items }}>
        <Button icon={<FileJson size={15} aria-hidden="true" />} aria-haspopup="menu">
          {t('menuFile')}
        </Button>
      </Dropdown>
      <input
        ref={setInput}
        type="file"
        accept=".json"
        aria-label={t('importJson')}
        className="visually-hidden"
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file) void choose(file);
        }}
      />
      {question ? (
        <DangerDialog
          icon={<RotateCcw size={20} aria-hidden="true" />}
          title={t(question.kind === 'restore' ? 'restoreTitle' : 'importTitle')}
          effect={t('replaceEffect')}
          action={t(question.kind === 'restore' ? 'restore' : 'replaceMenu')}
          about={question.kind === 'import' ? t('menuCount', { name: question.name, count: question.file.modules.length }) : undefined}
          busy={replace.isPending || restore.isPending}
          failure={replace.error?.message ?? restore.error?.message}
          onConfirm={() => (question.kind === 'restore' ? restore.mutate({}) : replace.mutate({ body: question.file }))}
          onClose={close}
        />
      ) : null}
    </>
  );
}
