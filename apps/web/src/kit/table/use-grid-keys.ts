import { useEffect, useRef, type FocusEvent, type KeyboardEvent, type RefObject } from 'react';
import { isTyping } from '#core/keys/is-typing.ts';
import { isShortcut } from '#core/keys/shortcuts.ts';

/** `aria-rowindex` of the header; the first row below it has the next index. */
const HEADER_INDEX = 1;
const ROWS = 'tbody tr[aria-rowindex]';
const CONTROLS = 'a[href], button, input, select, textarea, [tabindex]';

/** Text fields keep their tab stop: arrow keys belong to their text. */
const isControl = (element: HTMLElement): boolean => !isTyping({ target: element });
const controlsOf = (row: Element): HTMLElement[] => [...row.querySelectorAll<HTMLElement>(CONTROLS)].filter(isControl);
const isEnabled = (control: HTMLElement): boolean => !control.matches(':disabled');

/** Gives the table one tab stop: `wanted` if it is still a row, else the selected or the first row. Returns the row with the stop. */
function setStop(grid: Element, wanted: Element | null | undefined): Element | undefined {
  const rows = [...grid.querySelectorAll<HTMLElement>(ROWS)];
  const stop = rows.find((row) => row === wanted) ?? rows.find((row) => row.ariaSelected === 'true') ?? rows[0];
  for (const row of rows) row.tabIndex = row === stop ? 0 : -1;
  if (stop) for (const row of grid.querySelectorAll('tr')) for (const control of controlsOf(row)) control.tabIndex = -1;
  return stop;
}

interface GridKeys {
  /** Rows below the header, including those that are not rendered. */
  count: number;
  /** Renders the rows around the new scroll position of a windowed table. */
  onScrolled?: (box: HTMLElement | null) => void;
}

/**
 * Keys of a table with `role="grid"` or `"treegrid"`: it is one tab stop, arrows, Home, End and the page keys move between its rows, left
 * and right between the controls of a row. Tab stops are set on the elements, because cells render controls of any library.
 */
export function useGridKeys(box: RefObject<HTMLElement | null>, { count, onScrolled }: GridKeys) {
  const stop = useRef<Element>(undefined);
  /** The index of a row that takes the focus as soon as it is rendered. */
  const wanted = useRef<number>(undefined);

  useEffect(() => {
    const grid = box.current;
    if (grid === null) return undefined;
    const update = (changes: readonly MutationRecord[]) => {
      const row = grid.querySelector<HTMLElement>(`${ROWS}[aria-rowindex="${wanted.current}"]`);
      const selected = changes.findLast(({ type, target }) => type === 'attributes' && (target as Element).ariaSelected === 'true'); // as: only elements have attributes
      stop.current = setStop(grid, row ?? (selected?.target as Element | undefined) ?? stop.current); // as: see above
      if (row === null) return;
      wanted.current = undefined;
      row.focus();
    };
    update([]);
    const observer = new MutationObserver(update);
    observer.observe(grid, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-selected'] });
    return () => observer.disconnect();
  }, [box]);

  const focusRow = (index: number) => {
    const grid = box.current;
    const row = grid?.querySelector<HTMLElement>(`${ROWS}[aria-rowindex="${index}"]`);
    if (row || !grid) return row?.focus();
    wanted.current = index;
    scrollTo(grid, index);
    return onScrolled?.(grid);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget } = event;
    // React also reports keys of popups that a cell has opened elsewhere in the document.
    if (!(target instanceof HTMLElement) || !currentTarget.contains(target) || event.defaultPrevented) return;
    if (isTyping(event) || target.matches('[type="radio"], [aria-expanded="true"][aria-haspopup]')) return;
    const row = target.closest('tr');
    if (row === null) return;
    const isDone = isShortcut('moveInRow', event)
      ? moveInRow(row, target, event.key === 'ArrowRight' ? 1 : -1)
      : moveToRow(row, rowsAway(event, pageOf(box.current)));
    if (isDone) event.preventDefault();
  };
  const moveToRow = (row: HTMLTableRowElement, by: number | undefined): boolean => {
    if (by === undefined || count === 0) return false;
    const from = Number(row.ariaRowIndex ?? HEADER_INDEX);
    const to = Math.min(Math.max(from + by, HEADER_INDEX), HEADER_INDEX + count);
    const header = by === -1 && to === HEADER_INDEX ? controlsOf(row.closest('table')?.tHead ?? row).find(isEnabled) : undefined;
    if (header) header.focus();
    else focusRow(Math.max(to, HEADER_INDEX + 1));
    return true;
  };
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const row = target.closest(ROWS);
    if (row && box.current?.contains(row)) stop.current = setStop(box.current, row);
  };
  return { onKeyDown, onFocus };
}

/** Scrolls the place of a row to the middle of the window; the row itself need not be rendered. */
function scrollTo(box: HTMLElement, index: number): void {
  const rowPx = box.querySelector<HTMLElement>(ROWS)?.offsetHeight ?? 0;
  box.scrollTop = (index - HEADER_INDEX - 1) * rowPx - box.clientHeight / 2;
}

/** Rows of one window, of which one stays visible. */
function pageOf(box: HTMLElement | null): number {
  const rowPx = box?.querySelector<HTMLElement>(ROWS)?.offsetHeight ?? 0;
  return rowPx === 0 || box === null ? 1 : Math.max(1, Math.floor(box.clientHeight / rowPx) - 2);
}

/** How many rows down a key moves; undefined for other keys. */
function rowsAway(event: KeyboardEvent, page: number): number | undefined {
  if (isShortcut('moveRow', event)) return event.key === 'ArrowDown' ? 1 : -1;
  if (isShortcut('moveToEnd', event)) return event.key === 'End' ? Infinity : -Infinity;
  if (isShortcut('moveByPage', event)) return event.key === 'PageDown' ? page : -page;
  return undefined;
}

/** Moves between the row and its controls. False at either end: the browser then scrolls sideways. */
function moveInRow(row: HTMLElement, from: HTMLElement, by: -1 | 1): boolean {
  const stops = [...(row.ariaRowIndex === null ? [] : [row]), ...controlsOf(row).filter(isEnabled)];
  const next = stops[stops.indexOf(from) + by];
  next?.focus();
  return next !== undefined;
}
