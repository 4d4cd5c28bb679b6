import { isTyping, usePreferences } from '#shared/theme/preferences.ts';

/** J and K step through the rows while the pane is open, Esc closes it; returns the clean-up. */
export function stepThrough(
  rows: { id: string }[],
  selected: string | undefined,
  select: (id: string | undefined) => void,
): (() => void) | undefined {
  if (selected === undefined) return undefined;
  const onKey = (event: KeyboardEvent) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') select(undefined);
    if (!usePreferences.getState().letterKeys) return;
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
    const next = rows[rows.findIndex((row) => row.id === selected) + step];
    if (step !== 0 && next) select(next.id);
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
