import { Suspense, useEffect } from 'react';
import { useLocation } from 'react-router';
import { metaOf } from '../page-meta.ts';
import { ReadyExports } from '#widgets/export-button/ready-exports.tsx';
import { EditPassword } from './edit-password.tsx';
import { Header } from './header.tsx';
import { KeptPages } from './kept-pages.tsx';
import { Keys } from './keys.tsx';
import { LoadingOverlay, PageComing } from './loading-overlay.tsx';
import { LoginExpired } from './login-expired.tsx';
import { Printed } from './printed.tsx';
import { Profile } from './profile.tsx';
import { SearchOverlay } from './search-overlay.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { StatusBar } from './status-bar.tsx';
import { TabStrip } from './tab-strip.tsx';
import { visitTab } from './tabs.ts';
import styles from './layout.module.css';

/** Header, tabs, page, status bar. */
export function Layout() {
  const { pathname, search } = useLocation();
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
        <main className={styles['page']}>
          <Suspense fallback={<PageComing />}>
            <KeptPages />
          </Suspense>
        </main>
        <LoadingOverlay />
      </div>
      <StatusBar />
      <SearchOverlay />
      <Profile />
      <Keys />
      <EditPassword />
      <LoginExpired />
      <ReadyExports />
    </div>
  );
}
