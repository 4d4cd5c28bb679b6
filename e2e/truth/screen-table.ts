import type { Page } from '@playwright/test';
import type { ScreenTable } from '../../tools/truth/compare.ts';

/** Raw content of a table before its footer is parsed. */
interface DrawnTable {
  columns: { key: string; heading: string; isText: boolean }[];
  rows: { at: number; cells: ({ text: string; hints: string[] } | null)[] }[];
  rowCount: number;
  footer: string;
}

const FOOTER = /([\d,]+)[–-]([\d,]+) of ([\d,]+)/;
const numberOf = (text: string | undefined): number => Number((text ?? '0').replaceAll(',', ''));

/** Columns of check boxes and buttons hold no values. */
const TOOLS = new Set(['select', 'actions']);
const isShown = (column: DrawnTable['columns'][number] | undefined): boolean =>
  column !== undefined && column.heading !== '' && !TOOLS.has(column.key);

/** The tables of the page as displayed. */
export async function screenTables(page: Page): Promise<ScreenTable[]> {
  const drawn = await page.evaluate((): DrawnTable[] => {
    const shownIn = (element: HTMLElement) => element.offsetParent !== null;
    /** Separate texts within a cell: a badge follows a name without a blank. */
    const piecesOf = (cell: HTMLElement) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const pieces: string[] = [];
      while (texts.nextNode()) pieces.push(texts.currentNode.textContent?.trim() ?? '');
      return pieces.length > 1 ? pieces.filter((piece) => piece !== '') : [];
    };
    const hintsOf = (cell: HTMLElement) => [
      ...[cell, ...cell.querySelectorAll<HTMLElement>('[title]')].flatMap((each) => (each.title ? [each.title] : [])),
      ...piecesOf(cell),
    ];
    return [...document.querySelectorAll<HTMLTableElement>('main table, [role="main"] table')]
      .filter((table) => shownIn(table) && table.querySelector('th[data-field]'))
      .map((table) => {
        const columns = [...table.querySelectorAll<HTMLElement>('thead th')].map((head) => ({
          key: head.dataset['field'] ?? '',
          heading: head.innerText.trim(),
          isText: table.querySelector(`td[data-field="${head.dataset['field']}"][data-text]`) !== null,
        }));
        const rows = [...table.querySelectorAll<HTMLTableRowElement>('tbody tr[data-row]')].map((row) => ({
          at: Number(row.getAttribute('aria-rowindex') ?? '2') - 2,
          cells: columns.map(({ key }) => {
            const cell = [...row.cells].find((each) => each.dataset['field'] === key);
            // A switch has its position as value; a cell that spans several columns gives the reason for missing values.
            const position = cell?.querySelector('[role="switch"]')?.getAttribute('aria-checked');
            // A cell with buttons only has no value.
            const isSilent = cell?.innerText.trim() === '' && cell.querySelector('button:not([role="switch"])') !== null;
            return cell === undefined || cell.colSpan > 1 || cell.querySelector('[data-reason]') || isSilent
              ? null
              : { text: position ? (position === 'true' ? 'Yes' : 'No') : cell.innerText.trim(), hints: hintsOf(cell) };
          }),
        }));
        const footers = [...document.querySelectorAll<HTMLElement>('main footer')].filter(shownIn);
        return {
          columns,
          rows,
          rowCount: Number(table.getAttribute('aria-rowcount') ?? rows.length + 1) - 1,
          footer: footers.map((footer) => footer.innerText).join('\n'),
        };
      });
  });
  return drawn.map(({ columns, rows, rowCount, footer }) => {
    const counted = FOOTER.exec(footer);
    const before = counted ? numberOf(counted[1]) - 1 : 0;
    return {
      columns: columns.filter(isShown),
      rows: rows.map(({ at, cells }) => ({ place: at + before, cells: cells.filter((_, index) => isShown(columns[index])) })),
      total: counted ? numberOf(counted[3]) : rowCount,
    };
  });
}
