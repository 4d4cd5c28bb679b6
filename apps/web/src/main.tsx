import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { module } from '@hes/contract/manager/module.ts';
import { user } from '@hes/contract/manager/user.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { App as AntdApp, ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';
import { StrictMode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { ensureApi, prefetchApi } from '#shared/api/hooks.ts';
import { startRenewal } from '#shared/api/refresh.ts';
import { useSession } from '#shared/api/session.ts';
import { refetchAfterReconnect, startLive } from '#shared/live/live.ts';
import { antdThemeOf } from '#shared/theme/antd-theme.ts';
import '#shared/theme/base.css';
import { applyPreferences, usePreferences } from '#shared/theme/preferences.ts';
import { startScale, useScale } from '#shared/theme/scale.ts';
import { useServerTime } from '#shared/time/format.ts';
import { createRouter } from './routes.tsx';

const STALE_MS = 10_000;
/** The text floor changes in steps, so that the theme object changes rarely. */
const BOOST_STEP = 0.1;

const queries = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: { queries: { retry: false, staleTime: STALE_MS, refetchOnWindowFocus: false } },
});
const router = createRouter(queries);
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

function App() {
  const { theme, locale } = usePreferences();
  const boost = useScale((state) => Math.ceil(state.boost / BOOST_STEP) * BOOST_STEP);
  const look = useMemo(() => antdThemeOf(theme, boost, still), [theme, boost]);
  dayjs.locale(locale === 'zh-CN' ? 'zh-cn' : 'en');
  return (
    <ConfigProvider theme={look} locale={locale === 'zh-CN' ? zhCN : enUS} button={{ autoInsertSpace: false }}>
      <AntdApp component={false}>
        <RouterProvider router={router} />
      </AntdApp>
    </ConfigProvider>
  );
}

applyPreferences();
startScale();
startRenewal();
startLive(queries);
refetchAfterReconnect(queries);

// What surrounds every page is drawn with its figures.
if (useSession.getState().token) for (const route of [module.tree, user.me, dashboard.summary]) prefetchApi(queries, route);

// The zone must be known before the first time of day is written; without a server the pages show their own errors.
const settings = await ensureApi(queries, whiteList.api).catch(() => undefined);
if (settings) useServerTime.setState({ timeZone: settings.timeZone });

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
