import type { groupTexts, shortcutTexts } from './shortcuts.messages.ts';

export type ShortcutName = keyof typeof shortcutTexts;
type ShortcutGroup = keyof typeof groupTexts;

interface Shortcut {
  group: ShortcutGroup;
  /** Alternative chords, spelled as in the help: modifiers, then the key. */
  keys: readonly string[];
  /** Ignored while the focus is in a dialog above the page. */
  isBelowDialogs?: boolean;
}

/** All shortcuts of the console, in the order of their list in the help, which is printed from this table. */
export const SHORTCUTS: Readonly<Record<ShortcutName, Shortcut>> = {
  search: { group: 'everywhere', keys: ['Ctrl K', '⌘ K'] },
  openTab: { group: 'everywhere', keys: ['Alt 1–9'] },
  closeTab: { group: 'everywhere', keys: ['Alt W'] },
  reload: { group: 'everywhere', keys: ['Alt R'] },
  closeWindow: { group: 'everywhere', keys: ['Esc'] },
  help: { group: 'everywhere', keys: ['?'] },
  filter: { group: 'list', keys: ['/'], isBelowDialogs: true },
  moveRow: { group: 'list', keys: ['↑', '↓'] },
  moveToEnd: { group: 'list', keys: ['Home', 'End'] },
  moveByPage: { group: 'list', keys: ['PageUp', 'PageDown'] },
  moveInRow: { group: 'list', keys: ['←', '→'] },
  raiseRow: { group: 'list', keys: ['Alt ↑'] },
  lowerRow: { group: 'list', keys: ['Alt ↓'] },
  openRow: { group: 'list', keys: ['Enter'] },
  nextDetails: { group: 'list', keys: ['J'], isBelowDialogs: true },
  previousDetails: { group: 'list', keys: ['K'], isBelowDialogs: true },
  closeDetails: { group: 'list', keys: ['Esc'], isBelowDialogs: true },
  selectRow: { group: 'list', keys: ['Space'] },
  selectRange: { group: 'list', keys: ['Shift Click'] },
  selectPage: { group: 'list', keys: ['Ctrl A', '⌘ A'] },
  pauseRun: { group: 'run', keys: ['P'] },
  stopRun: { group: 'run', keys: ['S'] },
  fitNetwork: { group: 'network', keys: ['F'] },
  zoomIn: { group: 'network', keys: ['+'] },
  zoomOut: { group: 'network', keys: ['−'] },
  moveStation: { group: 'network', keys: ['↑', '↓', '←', '→'] },
};

/** Keys whose name on the sheet differs from `KeyboardEvent.key`. */
const KEY_OF: Readonly<Record<string, string>> = {
  Esc: 'Escape',
  Space: ' ',
  '−': '-',
  '↑': 'ArrowUp',
  '↓': 'ArrowDown',
  '←': 'ArrowLeft',
  '→': 'ArrowRight',
};
const DIGITS = '1–9';

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>;

function isChord(chord: string, event: Pressed): boolean {
  const parts = chord.split(' ');
  const key = parts.at(-1) ?? '';
  if (event.ctrlKey !== parts.includes('Ctrl') || event.metaKey !== parts.includes('⌘') || event.altKey !== parts.includes('Alt'))
    return false;
  // With Alt some layouts type another character: only the code names the key.
  const pressed = event.altKey ? event.code.replace(/^(?:Key|Digit)/, '') : event.key;
  if (key === DIGITS) return /^[1-9]$/.test(pressed);
  return pressed.toLowerCase() === (KEY_OF[key] ?? key).toLowerCase();
}

/** Whether `event` presses the shortcut. Elements that handle keys while they have the focus ask this, too. */
export const isShortcut = (name: ShortcutName, event: Pressed): boolean => SHORTCUTS[name].keys.some((chord) => isChord(chord, event));

/** Single characters without a modifier: users of speech input switch them off (WCAG 2.1.4). */
export const isLetterKey = (event: Pressed): boolean => event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
