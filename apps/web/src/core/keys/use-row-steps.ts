import { useLayoutEffect, useRef } from 'react';
import { isTyping, usePreferences } from '#core/theme/preferences.ts';

/** A dialog above the list has the focus, and Esc closes it first. */
const isInDialog = ({ target }: Event): boolean => target instanceof HTMLElement && target.closest('[role="dialog"]') !== null;

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
export function useRowSteps(steps: RowSteps): void {
  const latest = useRef(steps);
  // Before the browser paints: a key pressed right after a row is marked finds that row.
  useLayoutEffect(() => {
    latest.current = { ...steps };
  });
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { ids, selected, select, isOff = false } = latest.current;
      if (selected === undefined || isOff) return;
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || isInDialog(event)) return;
      const go = (id: string | undefined) => {
        latest.current.selected = id;
        select(id);
      };
      if (event.key === 'Escape') go(undefined);
      if (!usePreferences.getState().letterKeys) return;
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      const next = ids[ids.indexOf(selected) + step];
      if (step !== 0 && next !== undefined) go(next);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
