import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { CONSOLE_BASE } from './core/url/addresses.ts';
import './core/theme/base.css';
import { loadLanguage } from './core/i18n/load-language.ts';
import { applyPreferences, usePreferences } from './core/theme/preferences.ts';
import { startScale } from './core/theme/scale.ts';
import { allowOwnStyles } from './core/theme/style-nonce.ts';
import { CrashedPage } from './kit/page/crashed-page.tsx';

const STALE_MS = 10_000;

const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: STALE_MS, refetchOnWindowFocus: false } },
});

const draw = (root: Root, content: ReactNode) =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queries}>{content}</QueryClientProvider>
    </StrictMode>,
  );

const consoleCode = () => import('./console.tsx');
const language = () => loadLanguage(usePreferences.getState().locale);

async function openConsole(root: Root): Promise<void> {
  const [{ startConsole, ShellComing }] = await Promise.all([consoleCode(), language()]);
  // A slow head-end answers the first calls late: until then the window has the outlines of the page.
  draw(root, <ShellComing />);
  draw(root, await startConsole(queries));
}

/** The sign-in renders without the code of the console, which loads once the slider is complete. */
async function openSignIn(root: Root): Promise<void> {
  const [{ FirstSignIn }] = await Promise.all([import('./first-sign-in.tsx'), language()]);
  const open = (path: string) => {
    history.replaceState(null, '', CONSOLE_BASE + path);
    return openConsole(root).catch(() => location.reload());
  };
  draw(root, <FirstSignIn onVerified={() => void consoleCode().catch(() => undefined)} onSignedIn={open} />);
}

allowOwnStyles();
applyPreferences();
startScale();

const place = document.getElementById('root');
if (place) {
  const root = createRoot(place);
  const open = location.pathname.replace(/\/+$/, '') === `${CONSOLE_BASE}/login` ? openSignIn : openConsole;
  // Not awaited: both import chunks that depend on this module, and top-level await would be a deadlock.
  open(root).catch((error: unknown) => draw(root, <CrashedPage error={error} />));
}
