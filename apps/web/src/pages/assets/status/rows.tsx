import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { texts } from './messages.ts';
import styles from './status.module.css';

interface RowsProps<R> {
  title: string;
  note?: string | undefined;
  /** Null: the user has no right to see them. */
  rows: readonly R[] | null;
  empty: string;
  rowKey: (row: R) => string;
  columns: readonly { title: string; width?: string; cell: (row: R) => ReactNode }[];
}

/** Evidence as a small table. Long reasons break into lines: nothing is cut, neither on the screen nor on paper. */
export function Rows<R>({ title, note, rows, empty, rowKey, columns }: RowsProps<R>) {
  const t = useMessages(texts);
  if (rows === null || rows.length === 0)
    return (
      <Panel title={title} note={note}>
        <p className={styles['muted']}>{rows === null ? t('notShown') : empty}</p>
      </Panel>
    );
  return (
    <Panel title={title} note={note} flush>
      <table className={styles['rows']}>
        <colgroup>
          {columns.map(({ title: name, width }) => (
            <col key={name} style={width === undefined ? {} : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ title: name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title: name, cell }) => (
                <td key={name} data-title={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
