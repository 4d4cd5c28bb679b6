import { Suspense, useEffect } from 'react';
import { Outlet, useLocation } from 'react-router';
import { Skeleton } from '#shared/ui/states.tsx';
import { titles } from '../page.messages.ts';
import { EditPassword } from './edit-password.tsx';
import { Header } from './header.tsx';
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
    const title = titles[pathname as keyof typeof titles]; // unknown paths have no title and no tab
    if (title) visitTab(pathname, search, title);
  }, [pathname, search]);
  return (
    <div className={styles['layout']}>
      <Header />
      <TabStrip />
      <main className={styles['page']}>
        <Suspense fallback={<Skeleton lines={8} />}>
          <Outlet />
        </Suspense>
      </main>
      <StatusBar />
      <SearchOverlay />
      <EditPassword />
      <LoginExpired />
    </div>
  );
}
