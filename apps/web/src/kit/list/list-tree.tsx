import { Button } from 'antd';
import { ChevronDown, ChevronRight, ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { cellOf, type Column } from '#kit/table/data-table.tsx';
import { OwnClicks } from '#kit/table/row-actions.tsx';
import type { UrlWords } from './filters.tsx';
import type { ListTools } from './list-parts.ts';
import { listTexts } from './messages.ts';
import { treeRows } from './tree-rows.ts';
import styles from './list.module.css';

const INDENT_PX = 22;
const ICON = { size: 15, 'aria-hidden': true } as const;
const NOTHING: ReadonlySet<string> = new Set();

/** The rows of a whole list are a tree, which the browser filters: matches are shown with the rows above them. */
export interface TreeDeclaration<Row> {
  /** Id of the row above; null at the top. */
  parentOf: (row: Row) => string | null;
  isWanted: (row: Row, url: UrlWords) => boolean;
}

/** The state of a list whose rows are a tree. */
export interface ListTree<Row> {
  /** The rows to show. */
  rows: Row[];
  levelOf: (row: Row) => number;
  isOpen: (row: Row) => boolean | undefined;
  onToggle: (row: Row) => void;
  openAll: () => void;
  closeAll: () => void;
  siblingsOf: ListTools['siblingsOf'];
}

interface TreeList<Row> {
  declared: TreeDeclaration<Row> | undefined;
  items: readonly Row[];
  idOf: (row: Row) => string;
  url: UrlWords;
  isFiltered: boolean;
}

/** Arranges the rows of a list as a tree; undefined for other lists. */
export function useListTree<Row>({ declared, items, idOf, url, isFiltered }: TreeList<Row>): ListTree<Row> | undefined {
  const [closed, setClosed] = useState(NOTHING);
  return useMemo(() => {
    if (declared === undefined) return undefined;
    const { parentOf, isWanted } = declared;
    const shown = treeRows(items, { idOf, parentOf, closed, isWanted: isFiltered ? (row) => isWanted(row, url) : undefined });
    const places = new Map(shown.map((place) => [idOf(place.row), place]));
    const parents = new Map(items.map((row) => [idOf(row), parentOf(row)]));
    const siblings = Map.groupBy(parents.keys(), (id) => parents.get(id));
    return {
      rows: shown.map(({ row }) => row),
      levelOf: (row) => places.get(idOf(row))?.level ?? 1,
      isOpen: (row) => places.get(idOf(row))?.isOpen,
      onToggle: (row) =>
        setClosed((old) => {
          const next = new Set(old);
          if (!next.delete(idOf(row))) next.add(idOf(row));
          return next;
        }),
      openAll: () => setClosed(NOTHING),
      closeAll: () => setClosed(new Set(items.flatMap((row) => parentOf(row) ?? []))),
      siblingsOf: (id) => siblings.get(parents.get(id)) ?? [],
    };
  }, [declared, items, idOf, url, isFiltered, closed]);
}

interface Names<Row> {
  tools: ListTools;
  rowName: (row: Row, tools: ListTools) => string;
}

/** The column of a tree whose cells are indented and close and open the branch. */
export const treeColumn = <Row,>(column: Column<Row>, tree: ListTree<Row>, { tools, rowName }: Names<Row>): Column<Row> => ({
  ...column,
  cell: (row) => {
    const isOpen = tree.isOpen(row);
    const Arrow = isOpen ? ChevronDown : ChevronRight;
    return (
      <span className={styles['branch']} style={{ paddingLeft: (tree.levelOf(row) - 1) * INDENT_PX }}>
        {isOpen === undefined ? (
          <span className={styles['gap']} />
        ) : (
          <OwnClicks>
            <button
              type="button"
              className={styles['toggle']}
              aria-expanded={isOpen}
              aria-label={tools.say(isOpen ? listTexts.collapse : listTexts.expand, { name: rowName(row, tools) })}
              onClick={() => tree.onToggle(row)}
            >
              <Arrow {...ICON} />
            </button>
          </OwnClicks>
        )}
        {cellOf(column, row)}
      </span>
    );
  },
});

/** Opens or closes all branches. */
export function TreeTools({ tree }: { tree: Pick<ListTree<never>, 'openAll' | 'closeAll'> }) {
  const t = useMessages(listTexts);
  return (
    <>
      <Button type="text" icon={<ChevronsUpDown {...ICON} />} onClick={tree.openAll}>
        {t('expandAll')}
      </Button>
      <Button type="text" icon={<ChevronsDownUp {...ICON} />} onClick={tree.closeAll}>
        {t('collapseAll')}
      </Button>
    </>
  );
}
