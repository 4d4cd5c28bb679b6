import { headed } from '@hes/contract/core/unit.ts';
import { Checkbox } from 'antd';
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useMessages, type Translate } from '#core/i18n/use-messages.ts';
import { isShortcut } from '#core/keys/shortcuts.ts';
import type { Density } from './density.ts';
import { OwnClicks } from './row-actions.tsx';
import type { Selection } from './selection.tsx';
import { SortMark } from './sort-mark.tsx';
import { tableTexts } from './table.messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Num } from '#kit/basics/text.tsx';
import { filledColumns, fitColumns, useRoom, widthOf } from './fit-columns.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { useWindow } from './use-window.ts';
import styles from './data-table.module.css';

/** Columns of controls; they are not printed. */
const TOOLS = new Set(['select', 'actions']);
/** Placeholder for a missing value on the screen; in files the cell is empty. */
const NOTHING = '—';

export interface Column<R> {
  key: string;
  title: ReactNode;
  /** Tooltip of the heading. */
  hint?: string;
  /** Design pixels; without it the column shares the remaining width. */
  width?: number;
  align?: 'left' | 'right';
  mono?: boolean;
  /** Name of the field in the `sort` parameter of the list. */
  sort?: string;
  /** The number or code of the cell, in `unit`. Exposed as `data-value` and written to files, unless `words` is given. */
  value?: (row: R) => number | string | null | undefined;
  /** Unit of `value`: shown in the headings of table and file. A custom `cell` shows the unit itself. */
  unit?: string;
  /** Decimals of the default cell; files keep all decimals. */
  decimals?: number;
  /** The instant of the cell. The default cell and files show local time; files add the UTC offset. */
  time?: (row: R) => string | null | undefined;
  /** The text of the cell, for files. */
  words?: (row: R) => string | null | undefined;
  /** Custom cell; without it `time`, or `value` with its unit, is shown. */
  cell?: (row: R) => ReactNode;
  /** Low priority: hidden when the window is too narrow. The details of the row still show it, and choosing the column brings it back. */
  low?: boolean;
  /** Hides a column with `low` while none of the rows has a `value` or `time`. */
  sparse?: boolean;
  /** Number of columns that this cell spans; 0: covered by the cell before it. */
  span?: (row: R) => number;
}

/** Renders a cell as its column declares it. */
export function cellOf<R>({ cell, time, value, decimals }: Column<R>, row: R): ReactNode {
  if (cell) return cell(row);
  const at = time?.(row);
  if (time) return at ? dateTime(at) : NOTHING;
  const shown = value?.(row);
  if (typeof shown === 'number') return <Num value={shown} {...(decimals === undefined ? {} : { decimals })} />;
  return shown ?? NOTHING;
}

/** The heading names the unit of default cells. */
const headOf = <R,>({ title, unit, cell }: Column<R>): ReactNode =>
  cell === undefined && typeof title === 'string' ? headed(title, unit) : title;

interface TableProps<R> {
  label: string;
  columns: Column<R>[];
  rows: R[];
  rowKey: (row: R) => string;
  selected?: string | undefined;
  onSelect?: ((row: R) => void) | undefined;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** The rows are placeholders while new ones load. */
  stale?: boolean;
  empty?: ReactNode;
  density?: Density | undefined;
  /** Adds a check box to each row; Space toggles it. */
  selection?: Selection<R> | undefined;
  /** Accessible name of a row. */
  rowName?: (row: R) => string;
  /** The rows are a tree: left and right close and open a branch. */
  tree?: Tree<R>;
  /** Keys pressed on a row, besides those of the table. */
  onRowKey?: (row: R, event: KeyboardEvent) => void;
}

interface Tree<R> {
  /** Counts from 1. */
  levelOf: (row: R) => number;
  /** Undefined for a row without a branch. */
  isOpen: (row: R) => boolean | undefined;
  onToggle: (row: R) => void;
}

interface RowProps<R> {
  row: R;
  id: string;
  columns: Column<R>[];
  index: number;
  selected: boolean;
  onSelect: ((row: R) => void) | undefined;
  onToggle: ((row: R) => void) | undefined;
  /** Selects the range from the row that was clicked last. */
  onRange: ((row: R) => void) | undefined;
  onAll: (() => void) | undefined;
  level: number | undefined;
  isOpen: boolean | undefined;
  onBranch: ((row: R) => void) | undefined;
  onKey: (row: R, event: KeyboardEvent) => void;
}

function RowOf<R>(props: RowProps<R>) {
  const { row, id, index, columns, selected, onSelect, onToggle, onRange, onAll, level, isOpen, onBranch, onKey } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>) => {
    const target = event.currentTarget;
    if (event.target !== target) return;
    if (isShortcut('openRow', event)) onSelect?.(row);
    if (isShortcut('selectRow', event) && onToggle) {
      event.preventDefault();
      onToggle(row);
    }
    if (isShortcut('selectPage', event) && onAll) {
      event.preventDefault();
      onAll();
    }
    if (isOpen !== undefined && isShortcut('moveInRow', event) && isOpen === (event.key === 'ArrowLeft')) {
      event.preventDefault();
      onBranch?.(row);
    }
    onKey(row, event);
  };
  const onRangeClick = (event: MouseEvent) => {
    if (!event.shiftKey || !onRange) return;
    // Prevents other click handlers within the row.
    event.preventDefault();
    event.stopPropagation();
    onRange(row);
  };
  const className = [styles['row'], selected && styles['selected'], onSelect && styles['clickable']].filter(Boolean).join(' ');
  return (
    <tr
      className={className}
      data-row={id}
      aria-rowindex={index}
      aria-selected={onSelect ? selected : undefined}
      aria-level={level}
      aria-expanded={isOpen}
      onClick={() => onSelect?.(row)}
      onClickCapture={onRangeClick}
      // Prevents the browser from selecting the text between two clicks.
      onMouseDown={onRange ? (event) => event.shiftKey && event.preventDefault() : undefined}
      onKeyDown={onKeyDown}
    >
      {columns.map((column) => {
        const span = column.span?.(row) ?? 1;
        if (span === 0) return null;
        const value = column.value?.(row);
        const classes = [column.align === 'right' && styles['right'], column.mono && 'mono'].filter(Boolean).join(' ');
        return (
          <td
            key={column.key}
            colSpan={span > 1 ? span : undefined}
            className={classes || undefined}
            data-field={column.key}
            data-value={column.value ? (value ?? '') : undefined}
            data-unit={column.unit}
            data-text={column.words ? true : undefined}
          >
            {cellOf(column, row)}
          </td>
        );
      })}
    </tr>
  );
}

const Row = memo(RowOf) as typeof RowOf; // memo forgets the type parameter

type T = Translate<typeof tableTexts>;

const nextSort = (field: string, sort: string | undefined): string => (sort === `${field},asc` ? `${field},desc` : `${field},asc`);
const ariaSort = (field: string, sort: string | undefined) =>
  sort === `${field},asc` ? 'ascending' : sort === `${field},desc` ? 'descending' : 'none';

function selectColumn<R>(selection: Selection<R>, rows: R[], idOf: (row: R) => string, nameOf: (row: R) => string, t: T): Column<R> {
  const free = rows.filter(selection.mayChoose);
  const on = free.filter((row) => selection.isOn(idOf(row))).length;
  return {
    key: 'select',
    title: (
      <Checkbox
        aria-label={t('selectPage')}
        checked={free.length > 0 && on === free.length}
        indeterminate={on > 0 && on < free.length}
        onChange={(event) => selection.toggleAll(free, event.target.checked)}
      />
    ),
    width: 40,
    cell: (row) => (
      <OwnClicks>
        <Checkbox
          aria-label={t('selectRow', { name: nameOf(row) })}
          disabled={!selection.mayChoose(row)}
          checked={selection.isOn(idOf(row))}
          onChange={(event) => selection.toggle(row, event.target.checked)}
        />
      </OwnClicks>
    ),
  };
}

/**
 * A dense table with a fixed header and fixed widths, without line breaks. It fills its container and scrolls inside; long lists render
 * only visible rows.
 */
export function DataTable<R>(props: TableProps<R>) {
  const {
    label,
    rows,
    rowKey,
    selected,
    onSelect,
    sort,
    onSort,
    stale,
    empty,
    density = 'standard',
    selection,
    rowName = rowKey,
    tree,
    onRowKey,
  } = props;
  const t = useMessages(tableTexts);
  const box = useRef<HTMLDivElement>(null);
  const roomPx = useRoom(box);
  /** The row that was clicked last: the start of a range. */
  const anchor = useRef<string>(undefined);
  const columns = useMemo(() => {
    const filled = filledColumns(props.columns, rows);
    if (!selection) return fitColumns(filled, roomPx);
    const toggleOne = (row: R, on: boolean) => {
      anchor.current = rowKey(row);
      selection.toggle(row, on);
    };
    return fitColumns([selectColumn({ ...selection, toggle: toggleOne }, rows, rowKey, rowName, t), ...filled], roomPx);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- how a row is called never changes
  }, [selection, rows, props.columns, t, roomPx]);
  const { isLong, first, last, before, after, follow } = useWindow(rows.length);
  useEffect(() => {
    if (isLong) follow(box.current);
  }, [isLong, density, follow]);
  // Stable handlers: a row renders again only when its data changes.
  const latest = useRef({ onSelect, selection, rows, tree, onRowKey });
  latest.current = { onSelect, selection, rows, tree, onRowKey };
  const select = useCallback((row: R) => latest.current.onSelect?.(row), []);
  const toggle = useCallback(
    (row: R) => {
      const { selection: current } = latest.current;
      if (!current?.mayChoose(row)) return;
      anchor.current = rowKey(row);
      current.toggle(row, !current.isOn(rowKey(row)));
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what a row's key is never changes
    [],
  );
  const chooseTo = useCallback(
    (row: R) => {
      const { selection: current, rows: shown } = latest.current;
      const to = shown.indexOf(row);
      const from = shown.findIndex((each) => rowKey(each) === anchor.current);
      current?.toggleAll(from === -1 ? [row] : shown.slice(Math.min(from, to), Math.max(from, to) + 1), true);
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what a row's key is never changes
    [],
  );
  const branch = useCallback((row: R) => latest.current.tree?.onToggle(row), []);
  const pressKey = useCallback((row: R, event: KeyboardEvent) => latest.current.onRowKey?.(row, event), []);
  const choosePage = useCallback(() => latest.current.selection?.toggleAll(latest.current.rows, true), []);
  const keys = useGridKeys(box, { count: rows.length, onScrolled: follow });
  const wide = widthOf(columns);
  return (
    <div
      ref={box}
      className={styles['scroll']}
      data-density={density}
      // Without rows to focus, the scroll container itself must take the focus, or keys could not scroll it sideways.
      {...(rows.length === 0 ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
      onScroll={isLong ? () => follow(box.current) : undefined}
    >
      <table
        className={styles['table']}
        role={tree ? 'treegrid' : 'grid'}
        aria-multiselectable={selection ? true : undefined}
        {...keys}
        aria-label={label}
        aria-busy={stale}
        aria-rowcount={rows.length + 1}
        style={{ '--table-w': `${wide}px` } as CSSProperties /* a variable, not a known property */}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.key} style={column.width ? { width: `calc(${column.width}px * var(--boost))` } : undefined} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                title={column.hint}
                data-field={column.key}
                className={[column.align === 'right' && styles['right'], TOOLS.has(column.key) && styles['tool']].filter(Boolean).join(' ')}
                aria-sort={column.sort ? ariaSort(column.sort, sort) : undefined}
              >
                {column.sort && onSort ? (
                  <button type="button" className={styles['sort']} onClick={() => onSort(nextSort(column.sort ?? column.key, sort))}>
                    {headOf(column)}
                    <SortMark direction={ariaSort(column.sort, sort)} />
                  </button>
                ) : (
                  headOf(column)
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={stale ? styles['stale'] : undefined}>
          {before > 0 ? <tr aria-hidden="true" style={{ height: before }} /> : null}
          {rows.slice(first, last).map((row, at) => {
            const id = rowKey(row);
            return (
              <Row
                key={id}
                id={id}
                row={row}
                index={first + at + 2}
                columns={columns}
                selected={id === selected}
                onSelect={onSelect ? select : undefined}
                onToggle={selection ? toggle : undefined}
                onRange={selection ? chooseTo : undefined}
                onAll={selection ? choosePage : undefined}
                level={tree?.levelOf(row)}
                isOpen={tree?.isOpen(row)}
                onBranch={tree ? branch : undefined}
                onKey={pressKey}
              />
            );
          })}
          {after > 0 ? <tr aria-hidden="true" style={{ height: after }} /> : null}
        </tbody>
      </table>
      {rows.length === 0 ? <div className={styles['empty']}>{empty}</div> : null}
    </div>
  );
}
