import { useLayoutEffect, useRef } from 'react';
import { useShortcut } from './use-shortcut.ts';

interface RowSteps {
  /** Ids of the rows in their order on the screen. */
  ids: readonly string[];
  /** The row whose pane is open. */
  selected: string | undefined;
  select: (id: string | undefined) => void;
  /** Keys do nothing, such as below an open dialog. */
  isOff?: boolean;
}

/**
 * While a pane is open J and K step through the rows and Esc closes it. A key pressed before the previous step is on the
 * screen continues from that step, so that quick typing loses no row.
 */
export function useRowSteps({ ids, selected, select, isOff = false }: RowSteps): void {
  const current = useRef(selected);
  // Before the browser paints: a key pressed right after a row is marked finds that row.
  useLayoutEffect(() => {
    current.current = selected;
  });
  const isOpen = () => current.current !== undefined && !isOff;
  const go = (id: string | undefined) => {
    current.current = id;
    select(id);
  };
  const step = (by: -1 | 1) => {
    const next = ids[ids.indexOf(current.current ?? '') + by];
    if (next !== undefined) go(next);
  };
  useShortcut('nextDetails', () => step(1), isOpen);
  useShortcut('previousDetails', () => step(-1), isOpen);
  useShortcut('closeDetails', () => go(undefined), isOpen);
}
