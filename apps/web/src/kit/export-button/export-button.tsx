import type { SheetFormat } from '@hes/contract/core/file.ts';
import { exportFile, type ExportRoutes } from '@hes/contract/transfer/export.ts';
import { App, Button, Dropdown } from 'antd';
import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { call } from '#core/api/client.ts';
import { download } from '#core/files/download.ts';
import { failureText } from '#core/api/errors.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

interface ExportButtonProps {
  routes: ExportRoutes;
  /** Query of the list, without page and size. */
  filter: Record<string, string | number | boolean | readonly string[] | undefined>;
  /** The visible columns in their order: CSV and XLSX contain them with the same headings, JSON contains all fields. */
  columns?: readonly ScreenColumn[] | undefined;
  /** Keys of the selected rows in the export. With a selection the menu offers these rows as well as all rows of the filter. */
  chosen?: readonly string[] | undefined;
  /** Small button for the head of a panel. */
  small?: boolean;
}

/** A string is the key of a column that the screen does not show. */
type ScreenColumn = string | { key: string; title: ReactNode };

const orderOf = (column: ScreenColumn) =>
  typeof column === 'string' ? column : typeof column.title === 'string' ? { key: column.key, title: column.title } : column.key;

const FORMATS = [
  ['csv', 'asCsv'],
  ['xlsx', 'asXlsx'],
  ['json', 'asJson'],
] as const satisfies readonly (readonly [SheetFormat, keyof typeof messages])[];

const textsOf = (filter: ExportButtonProps['filter']): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, String(value)]])));

/** Exports all rows of the filter, or the selected rows, as a file. Renders nothing for users without the right to export. */
export function ExportButton({ routes, filter, columns, chosen = [], small = false }: ExportButtonProps) {
  const t = useMessages(messages);
  const may = useMay();
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  if (!may(routes.run)) return null;
  const run = async (format: SheetFormat, rows: readonly string[]) => {
    setBusy(true);
    const body = {
      format,
      filter: textsOf(filter),
      ...(rows.length > 0 ? { rows: [...rows] } : {}),
      ...(columns && format !== 'json' ? { columns: columns.map(orderOf) } : {}),
    };
    const answer = await call(routes.run, { body });
    try {
      if (!answer.ok) void message.error(answer.error.message, 0);
      else if (answer.data.state === 'ready') {
        await download(exportFile.file, { params: { id: answer.data.id } });
        const gone = rows.length - answer.data.rows;
        if (rows.length > 0 && gone > 0) void message.warning(t('fewer', { count: gone }), 6);
      } else if (answer.data.state === 'running') void message.info(t('inBackground'), 6);
      else void message.error(t('failedText', { name: answer.data.fileName }), 0);
    } catch (error) {
      void message.error(failureText(error), 0);
    } finally {
      setBusy(false);
    }
  };
  const count = chosen.length;
  /** `of` adds the scope to the accessible name: the entries are the same under both headings. */
  const formatsOf = (rows: readonly string[], of?: string) =>
    FORMATS.map(([format, word]) => ({
      key: `${format} ${rows.length}`,
      label: (
        <>
          {t(word)}
          {of === undefined ? null : <span className="visually-hidden">{` ${of}`}</span>}
        </>
      ),
      onClick: () => void run(format, rows),
    }));
  const groupOf = (key: string, label: string, rows: readonly string[]) => ({
    key,
    type: 'group' as const,
    label,
    children: formatsOf(rows, label),
  });
  const items = count === 0 ? formatsOf([]) : [groupOf('chosen', t('chosenRows', { count }), chosen), groupOf('all', t('allRows'), [])];
  return (
    <Dropdown trigger={['click']} autoFocus menu={{ items }}>
      <Button size={small ? 'small' : 'middle'} icon={<Download size={15} aria-hidden="true" />} loading={isBusy} aria-haspopup="menu">
        {count === 0 ? t('export') : t('exportRows', { count })}
      </Button>
    </Dropdown>
  );
}
