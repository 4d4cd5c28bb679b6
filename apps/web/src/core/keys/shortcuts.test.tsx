import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { KeyList } from '#app/keys/key-list.tsx';
import { usePreferences } from '#core/theme/preferences.ts';
import { shortcutTexts } from './shortcuts.messages.ts';
import { SHORTCUTS, type ShortcutName } from './shortcuts.ts';
import { useShortcut } from './use-shortcut.ts';

const sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.{ts,tsx}'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const code = Object.values(sources).join('\n');
const NAMES = Object.keys(SHORTCUTS) as ShortcutName[]; // as: keys of a record with exactly these keys
/** The library closes windows; a mouse is needed for a range. */
const WITHOUT_CODE = new Set<ShortcutName>(['closeWindow', 'selectRange']);

afterEach(() => {
  cleanup();
  document.body.innerHTML = '';
  usePreferences.setState({ letterKeys: true });
});

test('every declared shortcut stands in the list once, and no chord twice in its group', () => {
  const { container } = render(<KeyList />);
  const rows = [...container.querySelectorAll('dl > div')];
  expect(rows.map((row) => row.querySelector('dd')?.textContent)).toEqual(Object.values(shortcutTexts).map(({ en }) => en));
  for (const section of container.querySelectorAll('section')) {
    const chords = [...section.querySelectorAll('dt')].map((keys) => keys.textContent);
    expect(new Set(chords).size, within(section).getByRole('heading').textContent).toBe(chords.length);
  }
});

test('every declared shortcut is bound by the code of the console, by its name', () => {
  const bound = (name: string) => new RegExp(String.raw`(?:useShortcut\(\s*|isShortcut\(|\bshortcut: )'${name}'`).test(code);
  expect(NAMES.filter((name) => !bound(name) && !WITHOUT_CODE.has(name))).toEqual([]);
});

test('one module listens for keys of the window', () => {
  const listens = Object.keys(sources).filter((file) => /addEventListener\('key/.test(sources[file] ?? ''));
  expect(listens).toEqual(['/src/core/keys/use-shortcut.ts']);
});

/** A page with a run: returns the shortcuts that ran. */
function openRun(): string[] {
  const ran: string[] = [];
  function Run() {
    useShortcut('stopRun', () => ran.push('outer'));
    useShortcut('closeTab', () => ran.push('close'));
    useShortcut('filter', () => ran.push('filter'));
    return (
      <>
        <input type="text" aria-label="Text" />
        <input type="checkbox" aria-label="Box" />
        <div role="dialog">
          <button type="button">In dialog</button>
        </div>
      </>
    );
  }
  render(<Run />);
  return ran;
}

test('letters are shortcuts on a check box and in a dialog, but not in text, with a modifier, or when switched off', () => {
  const ran = openRun();
  fireEvent.keyDown(screen.getByLabelText('Box'), { key: 's' });
  fireEvent.keyDown(screen.getByText('In dialog'), { key: 'S' });
  expect(ran).toEqual(['outer', 'outer']);
  fireEvent.keyDown(screen.getByLabelText('Text'), { key: 's' });
  fireEvent.keyDown(document.body, { key: 's', ctrlKey: true });
  usePreferences.setState({ letterKeys: false });
  fireEvent.keyDown(document.body, { key: 's' });
  expect(ran).toEqual(['outer', 'outer']);
});

test('keys with Alt are found by their place on the keyboard, also in text; keys of a list rest below a dialog', () => {
  const ran = openRun();
  fireEvent.keyDown(screen.getByLabelText('Text'), { key: '∑', code: 'KeyW', altKey: true });
  fireEvent.keyDown(screen.getByText('In dialog'), { key: '/' });
  fireEvent.keyDown(document.body, { key: '/' });
  expect(ran).toEqual(['close', 'filter']);
});

test('of two components with the same shortcut the one mounted last acts, unless its condition is false', () => {
  const ran: string[] = [];
  function Bound({ name, isOn = true }: { name: string; isOn?: boolean }) {
    useShortcut(
      'stopRun',
      () => ran.push(name),
      () => isOn,
    );
    return null;
  }
  const { rerender } = render(
    <>
      <Bound name="list" />
      <Bound name="pane" />
    </>,
  );
  fireEvent.keyDown(document.body, { key: 's' });
  rerender(
    <>
      <Bound name="list" />
      <Bound name="pane" isOn={false} />
    </>,
  );
  const isKept = fireEvent.keyDown(document.body, { key: 's' });
  expect([ran, isKept]).toEqual([['pane', 'list'], false]);
});
