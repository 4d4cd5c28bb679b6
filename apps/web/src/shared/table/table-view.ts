import { useCallback, useMemo } from 'react';
import type { Column } from './data-table.tsx';
import type { Density } from './density.ts';
import { usePreference } from './use-preference.ts';

interface Arrangement {
  /** Keys of the shown columns in their order. */
  columns?: string[];
  density?: Density;
}

/** A column that may be hidden and moved has a word for its head; buttons and check boxes have none. */
const isChoosable = <R>(column: Column<R>): boolean => typeof column.title === 'string';

/** The wanted columns in the wanted order; those without a head stay where they are, at the ends. */
export function arrange<R>(columns: Column<R>[], wanted: readonly string[] | undefined): Column<R>[] {
  if (wanted === undefined) return columns;
  const firstChoosable = columns.findIndex(isChoosable);
  const fixed = columns.filter((column) => !isChoosable(column));
  const before = fixed.filter((column) => columns.indexOf(column) < firstChoosable);
  const chosen = wanted
    .flatMap((key) => columns.find((column) => column.key === key && isChoosable(column)) ?? [])
    // What somebody asked for does not leave for want of room.
    .map((column) => (column.low ? { ...column, low: false } : column));
  // Nothing that is left of an older version of the page: better all columns than none.
  return chosen.length === 0 ? columns : [...before, ...chosen, ...fixed.filter((column) => !before.includes(column))];
}

export interface TableView<R> {
  /** Address of the page: what is arranged is kept under it. */
  page: string;
  /** What the table draws. */
  columns: Column<R>[];
  /** What can be chosen from, shown ones first in their order. */
  choices: { key: string; title: string; isShown: boolean }[];
  density: Density;
  setShown: (keys: string[]) => void;
  setDensity: (density: Density) => void;
  reset: () => void;
  isArranged: boolean;
}

/** Columns and density of a table as the caller arranged them on this page. */
export function useTableView<R>(page: string, all: Column<R>[]): TableView<R> {
  const [kept, save] = usePreference<Arrangement>(`columns:${page}`);
  const columns = useMemo(() => arrange(all, kept?.columns), [all, kept]);
  const choices = useMemo(() => {
    const shown = columns.filter(isChoosable);
    const keys = new Set(shown.map(({ key }) => key));
    const hidden = all.filter((column) => isChoosable(column) && !keys.has(column.key));
    const choiceOf = (column: Column<R>) => ({ key: column.key, title: String(column.title), isShown: keys.has(column.key) });
    return [...shown, ...hidden].map(choiceOf);
  }, [all, columns]);
  const setShown = useCallback((keys: string[]) => save({ ...kept, columns: keys }), [save, kept]);
  const setDensity = useCallback((density: Density) => save({ ...kept, density }), [save, kept]);
  return {
    page,
    columns,
    choices,
    density: kept?.density ?? 'standard',
    setShown,
    setDensity,
    reset: () => save(null),
    isArranged: kept !== undefined,
  };
}
