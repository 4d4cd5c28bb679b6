import type { Route } from '@hes/contract/core/route.ts';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { FilterBar } from '#kit/page/list-page.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { TableTools } from '#kit/table/table-tools.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { choosing, chosenWord } from './facet-words.ts';
import type { Facets } from './list-declaration.ts';
import { TreeTools } from './list-tree.tsx';
import type { ListState } from './use-list.ts';
import styles from './list.module.css';

/** The main filter of a list with its counts. */
export function ListFacets<R extends Route>({ list, facets }: { list: ListState<R>; facets: Facets<R> }) {
  const say = useSay();
  const { words, rare = [], signs } = facets;
  const chosen = chosenWord(facets, list.url);
  const { total, isExact, counts, signs: own = signs } = list.counts;
  return (
    <FacetStrip
      label={say(facets.label)}
      all={say(facets.all)}
      total={total}
      isExact={isExact}
      facets={words.flatMap((word) => {
        const sign = own[word];
        const isHidden = rare.includes(word) && !counts[word] && word !== chosen;
        return sign === undefined || isHidden ? [] : [{ key: word, sign, count: counts[word] }];
      })}
      selected={chosen}
      onSelect={(word) => list.filterBy(choosing(facets, word))}
    />
  );
}

/** The button that removes all filters; renders nothing without any. */
export function ClearFilters<R extends Route>({ list }: { list: ListState<R> }) {
  const say = useSay();
  if (!list.isFiltered) return null;
  return (
    <Button type="link" onClick={() => list.clearFilters()}>
      {say(common.clearFilters)}
    </Button>
  );
}

/** All filters of a list, with its table tools. */
export function ListFilters<R extends Route>({ list, children }: { list: ListState<R>; children?: ReactNode }) {
  return (
    <FilterBar
      tools={
        <>
          {list.tree ? <TreeTools tree={list.tree} /> : null}
          <TableTools view={list.view} />
          <RefreshButton busy={list.query.isFetching} onRefresh={list.reload} />
        </>
      }
    >
      {list.declaration.filters.map(({ keys, Control }) =>
        Control ? <Control key={keys.join(' ')} url={list.url} onChange={list.filterBy} /> : null,
      )}
      {children}
      {list.fault === undefined ? null : (
        <span className={styles['fault']} role="alert">
          {list.tools.say(list.fault)}
        </span>
      )}
      <ClearFilters list={list} />
    </FilterBar>
  );
}
