import { fireEvent, render } from '@testing-library/react';
import { startTransition, useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { useRowSteps } from './use-row-steps.ts';

afterEach(() => {
  document.body.innerHTML = '';
});

/** A list of three rows with the pane of row `2` open. Returns what the keys select. */
function openPane(isOff = false): (string | undefined)[] {
  const chosen: (string | undefined)[] = [];
  function List() {
    const [selected, setSelected] = useState<string | undefined>('2');
    useRowSteps({
      ids: ['1', '2', '3'],
      selected,
      select: (id) => {
        chosen.push(id);
        startTransition(() => setSelected(id));
      },
      isOff,
    });
    return null;
  }
  render(<List />);
  return chosen;
}

test('J and K open the next and the previous row, Esc closes the pane', () => {
  const chosen = openPane();
  for (const key of ['j', 'k', 'Escape', 'j']) fireEvent.keyDown(document.body, { key });
  expect(chosen).toEqual(['3', '2', undefined]);
});

test('two keys pressed before the list is drawn again make two steps', () => {
  const chosen = openPane();
  const press = (key: string) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('k');
  press('j');
  press('j');
  expect(chosen).toEqual(['1', '2', '3']);
});

test('keys pressed in a dialog above the list leave its pane as it is', () => {
  const chosen = openPane();
  const dialog = document.createElement('div');
  dialog.role = 'dialog';
  const button = dialog.appendChild(document.createElement('button'));
  document.body.append(dialog);
  for (const key of ['j', 'Escape']) fireEvent.keyDown(button, { key });
  expect(chosen).toEqual([]);
});

test('a list that switched its keys off leaves its pane as it is', () => {
  const chosen = openPane(true);
  for (const key of ['j', 'Escape']) fireEvent.keyDown(document.body, { key });
  expect(chosen).toEqual([]);
});
