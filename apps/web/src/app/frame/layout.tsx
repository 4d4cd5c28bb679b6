import { Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { useReachable } from '#core/session/reachable.ts';
import { metaOf } from '#core/url/pages.ts';
import { Header } from '#app/header/header.tsx';
import { KeptPages } from './kept-pages.tsx';
import { LateDialogs } from '#app/dialogs/late-dialogs.tsx';
import { LoadingOverlay, PageComing } from './loading-overlay.tsx';
import { NoAreaBanner } from './no-area-banner.tsx';
import { Printed } from './printed.tsx';
import { SearchOverlay } from '#app/search/search-overlay.tsx';
import { SkipLink } from './skip-link.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { StatusBar } from '#app/status-bar/status-bar.tsx';
import { TabStrip } from '#app/tabs/tab-strip.tsx';
import { visitTab } from '#app/tabs/tabs.ts';
import { UpdatedBanner } from './updated-banner.tsx';
import { useAppShortcuts } from '#app/keys/use-app-shortcuts.ts';
import { useHeadingFocus } from './use-heading-focus.ts';
import { useUnloadGuard } from './use-unload-guard.ts';
import styles from './layout.module.css';

/** Header, tabs, page and status bar. */
export function Layout() {
  const { pathname, search } = useLocation();
  const isAway = useReachable((state) => state.awaySince !== null);
  const main = useRef<HTMLElement>(null);
  useAppShortcuts();
  useHeadingFocus(main, pathname);
  useUnloadGuard();
  useEffect(() => {
    const { title, disableTab } = metaOf(pathname);
    if (title && !disableTab) visitTab(pathname, search, title);
  }, [pathname, search]);
  return (
    <div className={styles['layout']}>
      <SkipLink main={main} />
      <Printed />
      <Header />
      <TabStrip />
      <div className={styles['body']}>
        <StaleBanner />
        <UpdatedBanner />
        <NoAreaBanner />
        <main ref={main} id="main" tabIndex={-1} className={styles['page']} data-away={isAway || undefined}>
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
