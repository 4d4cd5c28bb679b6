import { Checkbox } from 'antd';
import type { Column } from '#shared/table/data-table.tsx';
import { OwnClicks } from '#shared/table/row-actions.tsx';

export interface Selection<R> {
  ids: ReadonlySet<string>;
  /** The rows of this page that may be chosen. */
  rows: R[];
  onChange: (ids: ReadonlySet<string>) => void;
}

interface SelectColumn<R> extends Selection<R> {
  keyOf: (row: R) => string;
  labels: { all: string; one: (row: R) => string };
}

/** Check boxes in front of rows; the one in the head takes or leaves the page. */
export function selectColumn<R>({ ids, rows, onChange, keyOf, labels }: SelectColumn<R>): Column<R> {
  const choosable = new Set(rows.map(keyOf));
  const chosen = rows.filter((row) => ids.has(keyOf(row))).length;
  const toggle = (id: string, on: boolean) => {
    const next = new Set(ids);
    if (on) next.add(id);
    else next.delete(id);
    onChange(next);
  };
  const togglePage = (on: boolean) => {
    const next = new Set(ids);
    for (const id of choosable)
      if (on) next.add(id);
      else next.delete(id);
    onChange(next);
  };
  return {
    key: 'select',
    title: (
      <Checkbox
        aria-label={labels.all}
        checked={rows.length > 0 && chosen === rows.length}
        indeterminate={chosen > 0 && chosen < rows.length}
        onChange={(event) => togglePage(event.target.checked)}
      />
    ),
    width: 40,
    cell: (row) => (
      <OwnClicks>
        <Checkbox
          aria-label={labels.one(row)}
          disabled={!choosable.has(keyOf(row))}
          checked={ids.has(keyOf(row))}
          onChange={(event) => toggle(keyOf(row), event.target.checked)}
        />
      </OwnClicks>
    ),
  };
}
