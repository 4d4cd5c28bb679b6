import { isTyping, usePreferences } from '#shared/theme/preferences.ts';

/** A dialog above the list has the focus, and Esc closes it first. */
const isInDialog = ({ target }: Event): boolean => target instanceof HTMLElement && target.closest('[role="dialog"]') !== null;

/** While the pane is open J and K step through the rows and Esc closes it. Returns the clean-up function. */
export function stepThrough(
  rows: { id: string }[],
  selected: string | undefined,
  select: (id: string | undefined) => void,
): (() => void) | undefined {
  if (selected === undefined) return undefined;
  const onKey = (event: KeyboardEvent) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || isInDialog(event)) return;
    if (event.key === 'Escape') select(undefined);
    if (!usePreferences.getState().letterKeys) return;
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
    const next = rows[rows.findIndex((row) => row.id === selected) + step];
    if (step !== 0 && next) select(next.id);
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
