import { fireEvent } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { stepThrough } from './step-through.ts';

let stop: (() => void) | undefined;
afterEach(() => {
  stop?.();
  document.body.innerHTML = '';
});

/** Opens the pane of row `2` of three, and returns what the keys select. */
function openPane(): (string | undefined)[] {
  const selected: (string | undefined)[] = [];
  stop = stepThrough([{ id: '1' }, { id: '2' }, { id: '3' }], '2', (id) => selected.push(id));
  return selected;
}

test('J and K open the next and the previous row, Esc closes the pane', () => {
  const selected = openPane();
  for (const key of ['j', 'k', 'Escape']) fireEvent.keyDown(document.body, { key });
  expect(selected).toEqual(['3', '1', undefined]);
});

test('keys pressed in a dialog above the list leave its pane as it is', () => {
  const selected = openPane();
  document.body.innerHTML = '<div role="dialog"><button>Cancel</button></div>';
  const button = document.querySelector('button') ?? document.body;
  for (const key of ['j', 'Escape']) fireEvent.keyDown(button, { key });
  expect(selected).toEqual([]);
});
