import { Suspense, useEffect } from 'react';
import { useLocation } from 'react-router';
import { Skeleton } from '#shared/ui/states.tsx';
import { metaOf } from '../page-meta.ts';
import { EditPassword } from './edit-password.tsx';
import { Header } from './header.tsx';
import { KeptPages } from './kept-pages.tsx';
import { LoginExpired } from './login-expired.tsx';
import { SearchOverlay } from './search-overlay.tsx';
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
      <Header />
      <TabStrip />
      <main className={styles['page']}>
        <Suspense fallback={<Skeleton lines={8} />}>
          <KeptPages />
        </Suspense>
      </main>
      <StatusBar />
      <SearchOverlay />
      <EditPassword />
      <LoginExpired />
    </div>
  );
}
