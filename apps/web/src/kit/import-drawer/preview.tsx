import type { ImportLine, ImportPreview, ImportVerdict } from '@hes/contract/transfer/import.ts';
import { useMemo, useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { messages } from './messages.ts';
import { VERDICT, VERDICT_ORDER } from './verdicts.ts';
import styles from './import-drawer.module.css';

const isVerdict = (word: string | undefined): word is ImportVerdict => VERDICT_ORDER.some((verdict) => verdict === word);

/** Hides columns that are empty in all rows: a list may have many columns, and a file only a few. */
const isFilled =
  (rows: readonly ImportLine[]) =>
  ({ key }: { key: string }): boolean =>
    rows.some(({ cells, issues }) => Boolean(cells[key]) || issues.some(({ column }) => column === key));

/** The rows with their verdict and the reason, invalid rows first. */
export function Preview({ preview }: { preview: ImportPreview }) {
  const t = useMessages(messages);
  const [only, setOnly] = useState<ImportVerdict>();
  const { total, errors, update, unchanged } = preview;
  const counts = { new: preview.new, update, unchanged, error: errors };
  const columns = useMemo((): Column<ImportLine>[] => {
    const titles = new Map(preview.columns.map(({ key, title }) => [key, title]));
    const reasonOf = (row: ImportLine) =>
      row.issues.map(({ column, message }) => (column === undefined ? message : `${titles.get(column) ?? column}: ${message}`)).join('; ');
    return [
      { key: 'line', title: t('line'), width: 64, align: 'right', mono: true, value: (row) => row.line, cell: (row) => row.line },
      { key: 'verdict', title: t('verdict'), width: 108, cell: (row) => <StateOf sign={VERDICT[row.verdict]} /> },
      ...(errors > 0
        ? [
            {
              key: 'reason',
              title: t('reason'),
              width: 320,
              cell: (row: ImportLine) => (
                <span className={styles['reason']} title={reasonOf(row)}>
                  {reasonOf(row)}
                </span>
              ),
            },
          ]
        : []),
      ...preview.columns.filter(isFilled(preview.rows)).map(({ key, title }): Column<ImportLine> => ({
        key,
        title,
        width: 140,
        cell: (row) => (
          <span title={row.cells[key]} className={row.issues.some(({ column }) => column === key) ? styles['wrong'] : undefined}>
            {row.cells[key] || '—'}
          </span>
        ),
      })),
    ];
  }, [preview, errors, t]);
  const rows = only === undefined ? preview.rows : preview.rows.filter((row) => row.verdict === only);
  return (
    <>
      <FacetStrip
        label={t('verdict')}
        all={t('allLines')}
        total={total}
        facets={VERDICT_ORDER.filter((key) => key !== 'unchanged' || unchanged > 0).map((key) => ({
          key,
          sign: VERDICT[key],
          count: counts[key],
        }))}
        selected={only}
        onSelect={(key) => setOnly(isVerdict(key) ? key : undefined)}
      />
      <div className={styles['table']}>
        <DataTable
          label={t('lines', { name: preview.fileName })}
          columns={columns}
          rows={rows}
          rowKey={(row) => String(row.line)}
          empty={<Empty small text={t('noLines')} />}
        />
      </div>
      {preview.rows.length < total ? <p className={styles['note']}>{t('firstLines', { shown: preview.rows.length, total })}</p> : null}
    </>
  );
}
