import { useEffectEvent, useLayoutEffect } from 'react';
import { usePreferences } from '#core/theme/preferences.ts';
import { isTyping } from './is-typing.ts';
import { isLetterKey, isShortcut, SHORTCUTS, type ShortcutName } from './shortcuts.ts';

interface Registered {
  name: ShortcutName;
  mayRun: (event: KeyboardEvent) => boolean;
  run: (event: KeyboardEvent) => void;
}

/** Shortcuts of the mounted components; of several that match, the one registered last runs. */
const registered: Registered[] = [];

const isInDialog = ({ target }: Event): boolean => target instanceof HTMLElement && target.closest('[role="dialog"]') !== null;

function onKeyDown(event: KeyboardEvent): void {
  // During IME composition keys belong to the input method.
  if (event.isComposing) return;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (!hasModifier && isTyping(event)) return;
  if (isLetterKey(event) && !usePreferences.getState().letterKeys) return;
  const found = registered.findLast(
    ({ name, mayRun }) => isShortcut(name, event) && !(SHORTCUTS[name].isBelowDialogs && isInDialog(event)) && mayRun(event),
  );
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

function register(shortcut: Registered): () => void {
  if (registered.length === 0) addEventListener('keydown', onKeyDown);
  registered.push(shortcut);
  return () => {
    registered.splice(registered.indexOf(shortcut), 1);
    if (registered.length === 0) removeEventListener('keydown', onKeyDown);
  };
}

/**
 * Binds a declared shortcut while the component is mounted. `when` is evaluated at each key press; while it is false, the key keeps its
 * usual meaning.
 */
export function useShortcut(
  name: ShortcutName,
  run: (event: KeyboardEvent) => void,
  when: (event: KeyboardEvent) => boolean = () => true,
): void {
  const runLatest = useEffectEvent(run);
  const mayRun = useEffectEvent(when);
  // Before the browser paints: a key pressed right after a render finds the new component.
  useLayoutEffect(() => register({ name, mayRun: (event) => mayRun(event), run: (event) => runLatest(event) }), [name]);
}
