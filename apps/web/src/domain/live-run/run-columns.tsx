import { dcuName, deviceSn } from '@hes/contract/text/device-name.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import type { Locale, Text } from '@hes/contract/core/text.ts';
import { headed } from '@hes/contract/core/unit.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { RUN_ITEM_STATES } from '@hes/contract/task/run-state.ts';
import { itemText, runItemStateOf, type Ordered } from '@hes/contract/task/words.ts';
import { cellOf, type Column } from '#kit/table/data-table.tsx';
import { sheetOf } from '#kit/table/sheet.ts';
import { clockTime } from '#core/time/format.ts';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { itemSign } from '#domain/states/tables.ts';
import type { T } from './texts.ts';
import styles from './live-run.module.css';

/** A result column on the screen and in the file. */
export type RunColumn = Column<TaskItemRow> & { title: string };

export function reasonOf(row: TaskItemRow, say: (text: Text) => string): string | null {
  const known = row.reasonCode && row.reasonCode in REASONS ? REASONS[row.reasonCode as keyof typeof REASONS] : undefined; // checked by `in`
  return known ? say(known) : (row.reasonText ?? row.reasonCode);
}

interface RunColumnsOptions {
  /** The order of the items; it decides the labels of their states. */
  of: Ordered;
  own: RunColumn[];
  say: (text: Text) => string;
  t: T;
  /** True when the run contains DCUs as well as meters. */
  hasDcus: boolean;
}

const latencyOf = ({ latencyMs }: TaskItemRow): number | null => (latencyMs === null ? null : latencyMs / 1000);

const STATE_WIDTH = 136;
const GLYPH_WIDTH = 44;
const LETTER_WIDTH = 7;
const IDEOGRAPH_WIDTH = 13;
const IDEOGRAPH = /\p{Script=Han}/u;

/** Width for the longest label of a state of this order. */
const stateWidth = (of: Ordered, say: (text: Text) => string): number =>
  Math.max(
    STATE_WIDTH,
    ...RUN_ITEM_STATES.map((state) => {
      const word = say(itemText(of, state));
      return GLYPH_WIDTH + word.length * (IDEOGRAPH.test(word) ? IDEOGRAPH_WIDTH : LETTER_WIDTH);
    }),
  );

/** The columns common to all runs, before and after the results. */
const baseColumns = ({ of, say, t, hasDcus }: Omit<RunColumnsOptions, 'own'>): { before: RunColumn[]; after: RunColumn[] } => ({
  before: [
    {
      key: 'state',
      title: t('status'),
      width: stateWidth(of, say),
      words: (row) => say(itemText(of, runItemStateOf(row))),
      cell: (row) => <StateOf sign={itemSign(of, runItemStateOf(row))} />,
    },
    {
      key: 'meterSn',
      title: t(hasDcus ? 'deviceSn' : 'meterSn'),
      width: 138,
      words: (row) => deviceSn(row),
      cell: (row) => <Sn sn={deviceSn(row)} />,
    },
    {
      key: 'transformer',
      title: t('transformer'),
      width: 166,
      low: true,
      words: (row) => row.transformerName,
      cell: (row) => row.transformerName ?? '—',
    },
  ],
  after: [
    {
      key: 'finishedAt',
      title: t('time'),
      width: 92,
      align: 'right',
      low: true,
      time: (row) => row.finishedAt,
      cell: (row) => (row.finishedAt ? clockTime(row.finishedAt) : row.state === 'reading' ? t('now') : '—'),
    },
    { key: 'latency', title: t('took'), width: 84, align: 'right', low: true, value: latencyOf, unit: 's', decimals: 2 },
    { key: 'attempts', title: t('attempts'), width: 84, align: 'right', low: true, value: (row) => row.attempts },
  ],
});

/** State, device, results, time and duration. A failed row shows its reason across the result columns. */
export function runColumns({ of, own, say, t, hasDcus }: RunColumnsOptions): RunColumn[] {
  const reasonColumn: RunColumn = { key: 'reason', title: t('reason'), cell: () => '—' };
  const { before, after } = baseColumns({ of, say, t, hasDcus });
  const results = (own.length > 0 ? own : [reasonColumn]).map((column, at, all): RunColumn => ({
    ...column,
    // A failed row replaces the default cell, which would have put the unit into the heading; so the heading names it here.
    title: column.cell === undefined ? headed(column.title, column.unit) : column.title,
    span: (row) => (row.state !== 'read_fail' || reasonOf(row, say) === null ? (column.span?.(row) ?? 1) : at === 0 ? all.length : 0),
    cell: (row) =>
      row.state === 'read_fail' && at === 0 ? (
        <span className={styles['reason']} data-reason={row.reasonCode}>
          {reasonOf(row, say)}
        </span>
      ) : (
        cellOf(column, row)
      ),
  }));
  return [...before, ...results, ...after];
}

/** The reasons why a row or some of its values are missing. */
function reasonsOf(row: TaskItemRow, own: readonly RunColumn[], say: (text: Text) => string): string | null {
  if (row.state === 'read_fail') return reasonOf(row, say);
  const ofValues = (row.result?.values ?? []).flatMap(({ item, reasonCode }) => {
    const text = reasonCode === null ? null : reasonOf({ ...row, reasonCode, reasonText: null }, say);
    return text === null ? [] : `${own.find(({ key }) => key === item)?.title ?? item}: ${text}`;
  });
  return ofValues.length > 0 ? ofValues.join('; ') : null;
}

interface RunSheet {
  of: Ordered;
  rows: TaskItemRow[];
  own: RunColumn[];
  say: (text: Text) => string;
  t: T;
  locale: Locale;
}

/** A run as a file: the columns of the screen, the DCU of each device, and the reasons for missing values. */
export function sheetOfRun({ of, rows, own, say, t, locale }: RunSheet): unknown[][] {
  const { before, after } = baseColumns({ of, say, t, hasDcus: rows.some(({ meterSn }) => meterSn === null) });
  const dcu: RunColumn = { key: 'dcuSn', title: t('dcuSn'), words: (row) => dcuName(row, say) };
  const reason: RunColumn = { key: 'reason', title: t('reason'), words: (row) => reasonsOf(row, own, say) };
  return sheetOf([...before, ...own, ...after, dcu, reason], rows, locale);
}
