import type { SheetFormat } from '@hes/contract/core/file.ts';
import { exportFile, type ExportRoutes } from '@hes/contract/transfer/export.ts';
import { App, Button, Dropdown } from 'antd';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { call } from '#shared/api/client.ts';
import { download } from '#shared/api/download.ts';
import { failureText } from '#shared/api/errors.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { messages } from './messages.ts';

interface ExportButtonProps {
  routes: ExportRoutes;
  /** What the list is asked with, without page and size. */
  filter: Record<string, string | number | boolean | readonly string[] | undefined>;
  /** Keys of the columns on the screen, in their order. What is for machines has all of them. */
  columns?: readonly string[] | undefined;
  /** In the head of a panel. */
  small?: boolean;
}

const textsOf = (filter: ExportButtonProps['filter']): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, String(value)]])));

/** The list behind its filter, all pages, as a file; nothing for who may not export. */
export function ExportButton({ routes, filter, columns, small = false }: ExportButtonProps) {
  const t = useMessages(messages);
  const may = useMay();
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  if (!may(routes.run)) return null;
  const run = async (format: SheetFormat) => {
    setBusy(true);
    const body = { format, filter: textsOf(filter), ...(columns && format !== 'json' ? { columns: [...columns] } : {}) };
    const answer = await call(routes.run, { body });
    try {
      if (!answer.ok) void message.error(answer.error.message, 0);
      else if (answer.data.state === 'ready') await download(exportFile.file, { params: { id: answer.data.id } });
      else if (answer.data.state === 'running') void message.info(t('inBackground'), 6);
      else void message.error(t('failedText', { name: answer.data.fileName }), 0);
    } catch (error) {
      void message.error(failureText(error), 0);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      menu={{
        items: [
          { key: 'csv', label: t('asCsv'), onClick: () => void run('csv') },
          { key: 'xlsx', label: t('asXlsx'), onClick: () => void run('xlsx') },
          { key: 'json', label: t('asJson'), onClick: () => void run('json') },
        ],
      }}
    >
      <Button size={small ? 'small' : 'middle'} icon={<Download size={15} aria-hidden="true" />} loading={isBusy} aria-haspopup="menu">
        {t('export')}
      </Button>
    </Dropdown>
  );
}
