import { useCallback, useMemo } from 'react';
import type { PagePath } from '@hes/contract/page/paths.ts';
import type { Column } from './data-table.tsx';
import type { Density } from './density.ts';
import { usePreference } from '#core/api/use-preference.ts';

/** A page, or one of several tables of it. */
export type TablePath = PagePath | `${PagePath}${'?' | '/'}${string}`;

interface Arrangement {
  /** Keys of the shown columns in their order. */
  columns?: string[];
  density?: Density;
}

/** Columns with a text heading may be hidden and moved; columns of buttons and check boxes may not. */
const isChoosable = <R>(column: Column<R>): boolean => typeof column.title === 'string';

/** The wanted columns in their order; columns without a heading stay at the ends. */
export function arrange<R>(columns: Column<R>[], wanted: readonly string[] | undefined): Column<R>[] {
  if (wanted === undefined) return columns;
  const firstChoosable = columns.findIndex(isChoosable);
  const fixed = columns.filter((column) => !isChoosable(column));
  const before = fixed.filter((column) => columns.indexOf(column) < firstChoosable);
  const chosen = wanted
    .flatMap((key) => columns.find((column) => column.key === key && isChoosable(column)) ?? [])
    // Columns that the user chose are never hidden for lack of space.
    .map((column) => (column.low ? { ...column, low: false } : column));
  // None of the stored keys exists any more, after an update of the page: show all columns.
  return chosen.length === 0 ? columns : [...before, ...chosen, ...fixed.filter((column) => !before.includes(column))];
}

export interface TableView<R> {
  /** Path of the page; the arrangement is stored under it. */
  page: TablePath;
  /** The visible columns. */
  columns: Column<R>[];
  /** All columns to choose from, visible ones first in their order. */
  choices: { key: string; title: string; isShown: boolean }[];
  density: Density;
  setShown: (keys: string[]) => void;
  setDensity: (density: Density) => void;
  reset: () => void;
  isArranged: boolean;
}

/** Columns and density of the table of a page, as the user arranged them. */
export function useTableView<R>(page: TablePath, all: Column<R>[]): TableView<R> {
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
