import { Suspense, useEffect } from 'react';
import { useLocation } from 'react-router';
import { useReachable } from '#shared/api/reachable.ts';
import { metaOf } from '../page-meta.ts';
import { Header } from './header.tsx';
import { KeptPages } from './kept-pages.tsx';
import { LateDialogs } from './late-dialogs.tsx';
import { LoadingOverlay, PageComing } from './loading-overlay.tsx';
import { NoAreaBanner } from './no-area-banner.tsx';
import { Printed } from './printed.tsx';
import { SearchOverlay } from './search-overlay.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { StatusBar } from './status-bar.tsx';
import { TabStrip } from './tab-strip.tsx';
import { visitTab } from './tabs.ts';
import { UpdatedBanner } from './updated-banner.tsx';
import { useKeys } from './use-keys.ts';
import styles from './layout.module.css';

/** Header, tabs, page and status bar. */
export function Layout() {
  const { pathname, search } = useLocation();
  const isAway = useReachable((state) => state.awaySince !== null);
  useKeys();
  useEffect(() => {
    const { title, disableTab } = metaOf(pathname);
    if (title && !disableTab) visitTab(pathname, search, title);
  }, [pathname, search]);
  return (
    <div className={styles['layout']}>
      <Printed />
      <Header />
      <TabStrip />
      <div className={styles['body']}>
        <StaleBanner />
        <UpdatedBanner />
        <NoAreaBanner />
        <main className={styles['page']} data-away={isAway || undefined}>
          <Suspense fallback={<PageComing />}>
            <KeptPages />
          </Suspense>
        </main>
        <LoadingOverlay />
      </div>
      <StatusBar />
      <SearchOverlay />
      <LateDialogs />
    </div>
  );
}
