import { Button } from 'antd';
import { X } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { tableTexts } from './table.messages.ts';
import styles from './table-tools.module.css';

/** The selected rows of a list, across its pages. */
export interface Selection<R> {
  /** By id; rows of other pages stay selected. */
  chosen: ReadonlyMap<string, R>;
  /** All rows that match the filter, including those not loaded. */
  isAll: boolean;
  isEmpty: boolean;
  isOn: (id: string) => boolean;
  mayChoose: (row: R) => boolean;
  toggle: (row: R, on: boolean) => void;
  toggleAll: (rows: R[], on: boolean) => void;
  chooseAll: () => void;
  clear: () => void;
}

interface SelectionOptions<R> {
  idOf: (row: R) => string;
  /** The filter as text; a new filter clears the selection. */
  filter: string;
  mayChoose?: (row: R) => boolean;
  /** Current rows of this page: selected rows are validated against their latest state. */
  rows?: readonly R[] | undefined;
}

const NO_ROWS: readonly never[] = [];
const anyRow = (): boolean => true;

/** The selection of a list. It survives paging and is cleared when the filter changes. */
export function useSelection<R>({ idOf, filter, mayChoose = anyRow, rows = NO_ROWS }: SelectionOptions<R>): Selection<R> {
  const [state, setState] = useState<{ filter: string; chosen: ReadonlyMap<string, R>; isAll: boolean }>({
    filter,
    chosen: new Map(),
    isAll: false,
  });
  const current = state.filter === filter ? state : { filter, chosen: new Map<string, R>(), isAll: false };
  const put = (chosen: Map<string, R>, row: R, on: boolean) => {
    if (on && mayChoose(row)) chosen.set(idOf(row), row);
    else chosen.delete(idOf(row));
  };
  useEffect(() => {
    setState((last) => {
      const changed = rows.filter((row) => last.chosen.has(idOf(row)) && last.chosen.get(idOf(row)) !== row);
      if (changed.length === 0) return last;
      const chosen = new Map(last.chosen);
      for (const row of changed) put(chosen, row, true);
      return { ...last, chosen };
    });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- idOf and mayChoose belong to the page, not to its state
  }, [rows]);
  return useMemo(() => {
    const set = (change: (chosen: Map<string, R>) => void) => {
      const chosen = new Map(current.chosen);
      change(chosen);
      setState({ filter, chosen, isAll: false });
    };
    return {
      chosen: current.chosen,
      isAll: current.isAll,
      isEmpty: !current.isAll && current.chosen.size === 0,
      isOn: (id) => current.isAll || current.chosen.has(id),
      mayChoose,
      toggle: (row, on) => set((chosen) => put(chosen, row, on)),
      toggleAll: (rows, on) => set((chosen) => rows.forEach((row) => put(chosen, row, on))),
      chooseAll: () => setState({ ...current, isAll: true }),
      clear: () => setState({ filter, chosen: new Map(), isAll: false }),
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- idOf belongs to the page, not to its state; rights, which mayChoose may use, load later
  }, [state, filter, mayChoose]);
}

/** Keys of individually selected rows; empty when all rows of the filter are selected. */
export const chosenIn = <R,>({ isAll, chosen }: Selection<R>): readonly string[] => (isAll ? [] : [...chosen.keys()]);

/** Shown in the footer while rows are selected: their number, selecting all rows of the filter, and the batch actions. */
export function SelectionBar<R>({ selection, total, children }: { selection: Selection<R>; total: number; children?: ReactNode }) {
  const t = useMessages(tableTexts);
  const { chosen, isAll } = selection;
  return (
    <span className={styles['batch']}>
      <b>{isAll ? t('allSelected', { count: total }) : t('selected', { count: chosen.size })}</b>
      {!isAll && total > chosen.size ? (
        <Button type="link" size="small" onClick={selection.chooseAll}>
          {t('selectAll', { count: total })}
        </Button>
      ) : null}
      {children}
      <Button type="text" size="small" aria-label={t('clear')} icon={<X size={14} aria-hidden="true" />} onClick={selection.clear} />
    </span>
  );
}
