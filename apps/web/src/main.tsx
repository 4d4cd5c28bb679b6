import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import zhCN from 'antd/locale/zh_CN';
import { StrictMode, useMemo, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { CONSOLE_BASE } from '#shared/api/addresses.ts';
import { antdThemeOf } from '#shared/theme/antd-theme.ts';
import '#shared/theme/base.css';
import { applyPreferences, usePreferences } from '#shared/theme/preferences.ts';
import { startScale, useScale } from '#shared/theme/scale.ts';
import { CrashedPage } from '#shared/ui/crashed-page.tsx';
import { FirstSignIn } from './first-sign-in.tsx';

const STALE_MS = 10_000;
/** The text floor changes in steps, so that the theme object changes rarely. */
const BOOST_STEP = 0.1;

const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: STALE_MS, refetchOnWindowFocus: false } },
});
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

function Surroundings({ children }: { children: ReactNode }) {
  const { theme, locale } = usePreferences();
  const boost = useScale((state) => Math.ceil(state.boost / BOOST_STEP) * BOOST_STEP);
  const look = useMemo(() => antdThemeOf(theme, boost, still), [theme, boost]);
  return (
    <QueryClientProvider client={queries}>
      <ConfigProvider theme={look} locale={locale === 'zh-CN' ? zhCN : enUS} button={{ autoInsertSpace: false }}>
        {children}
      </ConfigProvider>
    </QueryClientProvider>
  );
}

const draw = (root: Root, content: ReactNode) =>
  root.render(
    <StrictMode>
      <Surroundings>{content}</Surroundings>
    </StrictMode>,
  );

const consoleCode = () => import('./console.tsx');

async function openConsole(root: Root): Promise<void> {
  const { startConsole } = await consoleCode();
  draw(root, await startConsole(queries));
}

/** Who signs in needs nothing of the console until the name is known to be right; its code comes once the slider has been drawn. */
function openSignIn(root: Root): void {
  const open = (path: string) => {
    history.replaceState(null, '', CONSOLE_BASE + path);
    return openConsole(root).catch(() => location.reload());
  };
  draw(root, <FirstSignIn onVerified={() => void consoleCode().catch(() => undefined)} onSignedIn={open} />);
}

applyPreferences();
startScale();

const place = document.getElementById('root');
if (place) {
  const root = createRoot(place);
  if (location.pathname.replace(/\/+$/, '') === `${CONSOLE_BASE}/login`) openSignIn(root);
  // Not awaited: the console's code stands on this file and would wait for its end.
  else openConsole(root).catch((error: unknown) => draw(root, <CrashedPage error={error} />));
}
