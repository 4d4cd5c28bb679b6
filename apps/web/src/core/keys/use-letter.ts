import { useEffect, useRef } from 'react';
import { isTyping, usePreferences } from '#core/theme/preferences.ts';

/** Binds a single-letter shortcut. It is ignored in text fields and when letter shortcuts are switched off; undefined disables it. */
export function useLetter(letter: string, does: (() => void) | undefined): void {
  const latest = useRef(does);
  latest.current = does;
  const isOn = does !== undefined;
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== letter || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (usePreferences.getState().letterKeys) latest.current?.();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [letter, isOn]);
}
