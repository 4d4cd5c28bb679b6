import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { App } from 'antd';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DataTable, type Column } from './data-table.tsx';
import { fitColumns } from './fit-columns.ts';
import { viewOf } from './saved-views.tsx';
import { useSelection } from './selection.tsx';
import { arrange } from './table-view.ts';
import { useTake } from './use-take.ts';

afterEach(cleanup);
// jsdom has no layout: all widths are 0.
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe = () => undefined;
    disconnect = () => undefined;
  },
);

interface Row {
  id: string;
  name: string;
}
const column = (key: string, title: Column<Row>['title'] = key): Column<Row> => ({ key, title, cell: (row) => row.name });
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ id: String(index), name: `row ${index}` }));

describe('columns', () => {
  const columns = [column('mark', <i />), column('sn'), column('name'), column('time'), column('actions', <i />)];
  const keys = (wanted: string[] | undefined) => arrange(columns, wanted).map(({ key }) => key);

  test('are shown in the chosen order, and those without a heading keep their place', () => {
    expect(keys(['time', 'sn'])).toEqual(['mark', 'time', 'sn', 'actions']);
    expect(keys(undefined)).toEqual(columns.map(({ key }) => key));
  });

  test('that no longer exist are ignored, even all of them', () => {
    expect(keys(['gone', 'name'])).toEqual(['mark', 'name', 'actions']);
    expect(keys(['gone'])).toEqual(columns.map(({ key }) => key));
  });
});

describe('a window too narrow for all columns', () => {
  const sized = (key: string, width: number, low = false): Column<Row> => ({ ...column(key), width, low });
  const all = [sized('sn', 100), sized('phone', 100, true), sized('time', 100), sized('note', 100, true)];
  const kept = (roomPx: number) => fitColumns(all, roomPx).map(({ key }) => key);

  test('hides those of low priority, the last one first, and no others', () => {
    expect(fitColumns(all, 400)).toBe(all);
    expect(kept(399)).toEqual(['sn', 'phone', 'time']);
    expect(kept(250)).toEqual(['sn', 'time']);
    expect(kept(50)).toEqual(['sn', 'time']);
  });

  test('keeps those that the user chose', () => {
    expect(fitColumns(arrange(all, ['note', 'sn']), 50).map(({ key }) => key)).toEqual(['note', 'sn']);
  });
});

test('a saved view holds filters and order, not the page or the open row', () => {
  expect(viewOf(new URLSearchParams('sort=sn,asc&page=3&sel=9&name=x'))).toBe('name=x&sort=sn%2Casc');
});

describe('a selection', () => {
  const setUp = () =>
    renderHook(
      ({ filter }: { filter: string }) => useSelection<Row>({ idOf: (row) => row.id, filter, mayChoose: (row) => row.id !== '0' }),
      { initialProps: { filter: 'a' } },
    );

  test('stays over pages, leaves out what may not be chosen, and ends with its filter', () => {
    const { result, rerender } = setUp();
    act(() => result.current.toggleAll(rowsOf(3), true));
    act(() => result.current.toggle({ id: '9', name: 'of another page' }, true));
    expect([...result.current.chosen.keys()]).toEqual(['1', '2', '9']);
    act(() => result.current.chooseAll());
    expect([result.current.isAll, result.current.isOn('77')]).toEqual([true, true]);
    rerender({ filter: 'b' });
    expect([result.current.isAll, result.current.chosen.size, result.current.isEmpty]).toEqual([false, 0, true]);
  });

  test('follows its rows: changed rows replace the old ones, and rows that may no longer be chosen are removed', () => {
    const { result, rerender } = renderHook(
      ({ rows }: { rows: Row[] }) =>
        useSelection<Row>({ idOf: (row) => row.id, filter: '', mayChoose: (row) => row.name !== 'closed', rows }),
      { initialProps: { rows: rowsOf(3) } },
    );
    act(() => result.current.toggleAll([...rowsOf(3), { id: '9', name: 'of another page' }], true));
    rerender({
      rows: [
        { id: '0', name: 'online' },
        { id: '1', name: 'closed' },
      ],
    });
    expect([...result.current.chosen.values()].map(({ id, name }) => `${id} ${name}`)).toEqual([
      '0 online',
      '2 row 2',
      '9 of another page',
    ]);
  });
});

describe('selected rows are passed on', () => {
  const setUp = (found: Row[]) => {
    const asked: number[] = [];
    const taken: string[][] = [];
    function Buttons() {
      const selection = useSelection<Row>({ idOf: (row) => row.id, filter: '', mayChoose: (row) => row.id !== '0' });
      const take = useTake(selection, (most) => {
        asked.push(most);
        return found.length > 0 ? Promise.resolve(found) : Promise.reject(new Error('the line is cut'));
      });
      return (
        <>
          <button onClick={() => selection.toggleAll(rowsOf(3), true)}>first page</button>
          <button onClick={() => selection.toggle({ id: '9', name: 'of another page' }, true)}>another page</button>
          <button onClick={selection.chooseAll}>all</button>
          <button onClick={() => take((rows) => taken.push(rows.map(({ id }) => id)), 3)}>order</button>
        </>
      );
    }
    render(
      <App>
        <Buttons />
      </App>,
    );
    return { asked, taken, press: (name: string) => fireEvent.click(screen.getByRole('button', { name })) };
  };

  test('from all pages it was chosen on', async () => {
    const { asked, taken, press } = setUp([]);
    press('order');
    await screen.findByText('Please Select Data!');
    press('first page');
    press('another page');
    press('order');
    await vi.waitFor(() => expect(taken).toEqual([['1', '2', '9']]));
    expect(asked).toEqual([]);
  });

  test('as the rows that match the filter now, when all are selected', async () => {
    const { asked, taken, press } = setUp(rowsOf(3));
    press('all');
    press('order');
    await vi.waitFor(() => expect(taken).toEqual([['1', '2']]));
    expect(asked).toEqual([3]);
  });

  test('only completely: too many rows are refused, as is a list that cannot be read', async () => {
    const many = setUp(rowsOf(4));
    many.press('all');
    many.press('order');
    await screen.findByText('At most 3 at once');
    cleanup();
    const cut = setUp([]);
    cut.press('all');
    cut.press('order');
    await screen.findByText('the line is cut');
    expect([...many.taken, ...cut.taken]).toEqual([]);
  });
});

describe('a table', () => {
  const show = (count: number, onSelect?: (row: Row) => void) => {
    function Table() {
      const selection = useSelection<Row>({ idOf: (row) => row.id, filter: '' });
      return (
        <DataTable
          label="Rows"
          columns={[column('name')]}
          rows={rows}
          rowKey={(row) => row.id}
          onSelect={onSelect}
          selection={selection}
          rowName={(row) => row.name}
        />
      );
    }
    const rows = rowsOf(count);
    return render(
      <QueryClientProvider client={new QueryClient()}>
        <Table />
      </QueryClientProvider>,
    );
  };

  test('renders the visible ones of ten thousand rows, and announces their number', () => {
    show(10_000);
    expect(document.querySelectorAll('tr[data-row]').length).toBeLessThan(120);
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('10001');
  });

  test('is printed with all rows', () => {
    show(500);
    const drawn = () => document.querySelectorAll('tr[data-row]').length;
    expect(drawn()).toBeLessThan(120);
    fireEvent(window, new Event('beforeprint'));
    expect(drawn()).toBe(500);
    fireEvent(window, new Event('afterprint'));
    expect(drawn()).toBeLessThan(120);
  });

  const row = (id: string | number) => document.querySelector<HTMLElement>(`tr[data-row="${id}"]`);
  const press = (...keys: string[]) => {
    for (const key of keys) fireEvent.keyDown(document.activeElement ?? document.body, { key });
  };
  const tabStops = () =>
    [...document.querySelectorAll<HTMLElement>('a[href], button, input, [tabindex]')].filter(({ tabIndex }) => tabIndex >= 0);
  const named = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.getAttribute('data-row');

  test('of fifty rows with check boxes is one tab stop, which follows the focus', () => {
    show(50);
    expect(tabStops()).toEqual([row(0)]);
    act(() => row(7)?.focus());
    expect(tabStops()).toEqual([row(7)]);
  });

  test('moves the focus with Home, End and arrows, up to the header and into the controls of a row', () => {
    show(3);
    act(() => row(0)?.focus());
    press('End');
    expect(named()).toBe('2');
    press('Home', 'ArrowDown', 'ArrowRight');
    expect(named()).toBe('Select row 1');
    press('ArrowDown');
    expect(named()).toBe('2');
    press('ArrowRight', 'ArrowLeft', 'Home', 'ArrowUp');
    expect(named()).toBe('Select all on this page');
    press('ArrowDown');
    expect(named()).toBe('0');
  });

  test('renders the row that End reaches in a long list, and gives it the focus', async () => {
    show(10_000);
    const box = screen.getByRole('grid').parentElement;
    // jsdom has no layout: without these sizes all rows would be as high as nothing.
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(36);
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(720);
    act(() => row(0)?.focus());
    press('End');
    await vi.waitFor(() => expect(named()).toBe('9999'));
    press('PageUp');
    await vi.waitFor(() => expect(named()).toBe('9981'));
    expect(box?.scrollTop).toBeGreaterThan(300_000);
    vi.restoreAllMocks();
  });

  test('that is a tree names its levels, and left and right close and open a branch', () => {
    const toggled: string[] = [];
    render(
      <DataTable
        label="Tree"
        columns={[column('name')]}
        rows={rowsOf(2)}
        rowKey={({ id }) => id}
        tree={{
          levelOf: ({ id }) => Number(id) + 1,
          isOpen: ({ id }) => (id === '0' ? true : undefined),
          onToggle: ({ id }) => toggled.push(id),
        }}
      />,
    );
    expect(screen.getByRole('treegrid', { name: 'Tree' }).querySelector('[aria-level="2"]')).toBe(row(1));
    act(() => row(0)?.focus());
    press('ArrowRight');
    expect([toggled, row(0)?.ariaExpanded]).toEqual([[], 'true']);
    press('ArrowLeft');
    expect(toggled).toEqual(['0']);
  });

  test('is walked with arrows, opened with Enter and chosen with Space', () => {
    const opened: string[] = [];
    show(3, (row) => opened.push(row.id));
    row('0')?.focus();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowDown' });
    expect(document.activeElement).toBe(row('1'));
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Enter' });
    fireEvent.keyDown(document.activeElement ?? document.body, { key: ' ' });
    expect(opened).toEqual(['1']);
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select row 1' }).checked).toBe(true);
  });

  test('is chosen from the last one to another with Shift, and as a whole page with Ctrl+A', () => {
    const opened: string[] = [];
    show(5, (row) => opened.push(row.id));
    const box = (id: number) => screen.getByRole<HTMLInputElement>('checkbox', { name: `Select row ${id}` });
    const chosen = () => [0, 1, 2, 3, 4].filter((id) => box(id).checked);
    fireEvent.click(box(1));
    fireEvent.click(screen.getByText('row 3'), { shiftKey: true });
    expect([chosen(), opened]).toEqual([[1, 2, 3], []]);
    document.querySelector<HTMLElement>('tr[data-row="2"]')?.focus();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'a', ctrlKey: true });
    expect(chosen()).toEqual([0, 1, 2, 3, 4]);
  });
});

test('rows become selectable when the rights of the user have loaded', () => {
  const [row] = rowsOf(1);
  if (row === undefined) throw new Error('There is a row');
  const { result, rerender } = renderHook(
    ({ may }: { may: boolean }) => useSelection<Row>({ idOf: ({ id }) => id, filter: '', mayChoose: () => may }),
    { initialProps: { may: false } },
  );
  expect(result.current.mayChoose(row)).toBe(false);
  rerender({ may: true });
  expect(result.current.mayChoose(row)).toBe(true);
});
