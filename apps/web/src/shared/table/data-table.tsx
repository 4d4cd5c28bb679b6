import { memo, useCallback, useRef, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import { SortMark } from './sort-mark.tsx';
import styles from './data-table.module.css';

export interface Column<R> {
  key: string;
  title: ReactNode;
  /** Design pixels; without it the column shares what is left. */
  width?: number;
  align?: 'left' | 'right';
  mono?: boolean;
  /** Field name of the list's `sort`. */
  sort?: string;
  /** The raw number behind the cell, put into `data-value`. */
  value?: (row: R) => number | string | null | undefined;
  cell: (row: R) => ReactNode;
  /** Columns this cell takes; 0: the one before it took its place. */
  span?: (row: R) => number;
}

interface TableProps<R> {
  label: string;
  columns: Column<R>[];
  rows: R[];
  rowKey: (row: R) => string;
  selected?: string | undefined;
  onSelect?: ((row: R) => void) | undefined;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** Old rows while new ones are on their way. */
  stale?: boolean;
  empty?: ReactNode;
}

interface RowProps<R> {
  row: R;
  id: string;
  columns: Column<R>[];
  selected: boolean;
  onSelect: ((row: R) => void) | undefined;
}

function RowOf<R>({ row, id, columns, selected, onSelect }: RowProps<R>) {
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>) => {
    const target = event.currentTarget;
    if (event.key === 'Enter') onSelect?.(row);
    const neighbour =
      event.key === 'ArrowDown' ? target.nextElementSibling : event.key === 'ArrowUp' ? target.previousElementSibling : null;
    if (neighbour instanceof HTMLElement) {
      event.preventDefault();
      neighbour.focus();
    }
  };
  const className = [styles['row'], selected && styles['selected'], onSelect && styles['clickable']].filter(Boolean).join(' ');
  return (
    <tr
      className={className}
      data-row={id}
      aria-selected={selected}
      tabIndex={onSelect ? 0 : undefined}
      onClick={() => onSelect?.(row)}
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
          >
            {column.cell(row)}
          </td>
        );
      })}
    </tr>
  );
}

const Row = memo(RowOf) as typeof RowOf; // memo forgets the type parameter

const nextSort = (field: string, sort: string | undefined): string => (sort === `${field},asc` ? `${field},desc` : `${field},asc`);
const ariaSort = (field: string, sort: string | undefined) =>
  sort === `${field},asc` ? 'ascending' : sort === `${field},desc` ? 'descending' : 'none';

/** A dense table: fixed head, fixed widths, nothing wraps; it fills its place and scrolls inside. */
export function DataTable<R>({ label, columns, rows, rowKey, selected, onSelect, sort, onSort, stale, empty }: TableProps<R>) {
  // Rows are drawn again only when they change: the handler they are given never does.
  const latest = useRef(onSelect);
  latest.current = onSelect;
  const select = useCallback((row: R) => latest.current?.(row), []);
  const wide = columns.reduce((sum, column) => sum + (column.width ?? 140), 0);
  return (
    <div className={styles['scroll']}>
      <table
        className={styles['table']}
        aria-label={label}
        aria-busy={stale}
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
                className={column.align === 'right' ? styles['right'] : undefined}
                aria-sort={column.sort ? ariaSort(column.sort, sort) : undefined}
              >
                {column.sort && onSort ? (
                  <button type="button" className={styles['sort']} onClick={() => onSort(nextSort(column.sort ?? column.key, sort))}>
                    {column.title}
                    <SortMark direction={ariaSort(column.sort, sort)} />
                  </button>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={stale ? styles['stale'] : undefined}>
          {rows.map((row) => {
            const id = rowKey(row);
            return <Row key={id} id={id} row={row} columns={columns} selected={id === selected} onSelect={onSelect ? select : undefined} />;
          })}
        </tbody>
      </table>
      {rows.length === 0 ? <div className={styles['empty']}>{empty}</div> : null}
    </div>
  );
}
