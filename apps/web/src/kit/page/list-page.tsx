import { Pagination } from 'antd';
import type { ReactNode } from 'react';
import { useReachable } from '#core/session/reachable.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, clockTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import styles from './list-page.module.css';

const PAGE_SIZES = ['20', '50', '100', '500'];
const AGE_MS = 5000;

interface ListPageProps {
  title: string;
  purpose: string;
  actions?: ReactNode;
  /** Details pane to the right of the list. */
  pane?: ReactNode;
  /** Path of the route of a declared list, by which tests find it. */
  listOf?: string;
  /** Rows of the list open a details pane. */
  hasDetails?: boolean;
  children: ReactNode;
}

/** The layout of a list page: title line with actions, the list, and the details pane. */
export function ListPage({ title, purpose, actions, pane, listOf, hasDetails = false, children }: ListPageProps) {
  return (
    <div className={styles['page']} data-pane={pane ? 'open' : undefined} data-list={listOf} data-details={hasDetails || undefined}>
      <div className={styles['main']}>
        <header className={styles['title']}>
          <h1>{title}</h1>
          <span>{purpose}</span>
          <div className={styles['actions']}>{actions}</div>
        </header>
        {children}
      </div>
      {pane}
    </div>
  );
}

/** Filters on the left, table tools on the right. The key `/` focuses the first text filter (`app/keys/use-app-shortcuts.ts`). */
export function FilterBar({ children, tools }: { children: ReactNode; tools?: ReactNode }) {
  return (
    <div className={styles['filters']} role="search">
      {children}
      <span className={styles['space']} />
      {tools}
    </div>
  );
}

interface ListFooterProps {
  page: { items: unknown[]; page: number; size: number; total: number };
  updatedAt: number;
  /** Undefined for a list without pages. */
  onPage?: (page: string, size: string) => void;
  /** Actions for the selected rows; shown instead of the count while rows are selected. */
  batch?: ReactNode;
  /** Page sizes to choose from. */
  sizes?: readonly string[];
}

/** The only page of a list that the server sends as a whole. */
export const wholeList = (items: unknown[]): ListFooterProps['page'] => ({ items, page: 1, size: items.length, total: items.length });

/** Count and age on the left, pages on the right. */
export function ListFooter({ page, updatedAt, onPage, batch, sizes = PAGE_SIZES }: ListFooterProps) {
  const t = useMessages(common);
  const now = useNow(AGE_MS);
  const locale = usePreferences((state) => state.locale);
  const awaySince = useReachable((state) => state.awaySince);
  const ageMs = Math.max(0, now - updatedAt);
  const first = (page.page - 1) * page.size + 1;
  const last = (page.page - 1) * page.size + page.items.length;
  return (
    <footer className={styles['footer']}>
      {batch ?? (
        <span>
          {page.items.length === 0 ? t('noRows') : t('rows', { first, last, total: page.total })}
          {' · '}
          {awaySince !== null
            ? t('lastKnown', { time: clockTime(updatedAt) })
            : ageMs < AGE_MS
              ? t('updatedNow')
              : t('updatedAgo', { age: ageOf(0, ageMs, locale) })}
        </span>
      )}
      {onPage ? (
        <Pagination
          size="small"
          current={page.page}
          pageSize={page.size}
          total={page.total}
          showSizeChanger
          pageSizeOptions={[...sizes]}
          onChange={(next, size) => onPage(String(next), String(size))}
        />
      ) : null}
    </footer>
  );
}
