import type { QueryClient } from '@tanstack/react-query';
import { Suspense, type ComponentType } from 'react';
import { createBrowserRouter, Navigate, Outlet, type LoaderFunction, type RouteObject, type ShouldRevalidateFunction } from 'react-router';
import { CONSOLE_BASE } from './core/url/addresses.ts';
import { preloadable, type Preloadable } from './preloadable.tsx';
import { PAGE_PATH, type PagePath } from '@hes/contract/page/paths.ts';
import { useSession } from './core/session/session.ts';
import { registerPage } from './core/url/preload-page.ts';
import { groupPaths, HOME, metaOf, PAGE_PATHS, PAGES } from './core/url/pages.ts';
import { DocumentTitle } from './app/frame/document-title.tsx';
import { guard } from './app/modules/guard.ts';
import { PageComing } from './app/frame/loading-overlay.tsx';
import { Crashed, GroupHome, NotFound, Redirect } from './app/frame/notices.tsx';
import { ShellComing } from './app/frame/shell-coming.tsx';

/** Loaded separately, so that the sign-in page does not wait for it. */
const layout = preloadable(async () => ({ default: (await import('./app/frame/layout.tsx')).Layout }));

/** The component library, which most pages need. */
const controls = preloadable(async () => ({ default: (await import('./kit/theme/controls.tsx')).Controls }));

/** Loads the code of a page while the guard checks the permission for it. */
const withParts =
  (parts: readonly Pick<Preloadable, 'preload'>[], guarded: LoaderFunction = () => null): LoaderFunction =>
  async (args, context) => {
    const loading = Promise.all(parts.map((part) => part.preload()));
    const verdict: unknown = await guarded(args, context);
    if (verdict === null) await loading;
    return verdict;
  };

/** A changed query string, such as a filter, does not run the guard again. */
const onlyNewPath: ShouldRevalidateFunction = ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname;

/** The code of the pages, by file. */
const files = import.meta.glob<{ default: ComponentType }>('./pages/**/page.tsx');

function routeOf(path: PagePath, guarded?: LoaderFunction): RouteObject {
  const { isBare = false, isPlain = false } = PAGES[path];
  const load = files[`./pages${path}/page.tsx`];
  if (load === undefined) throw new Error(`No page.tsx in pages${path}`);
  const page = preloadable(load);
  const parts = [...(isBare ? [] : [layout]), ...(isPlain ? [] : [controls]), page];
  registerPage(path, () => parts.forEach((part) => void part.preload()));
  return {
    path,
    loader: withParts(parts, guarded),
    shouldRevalidate: onlyNewPath,
    handle: metaOf(path),
    errorElement: <Crashed />,
    element: (
      <Suspense fallback={<PageComing />}>
        {isPlain ? (
          <page.Part />
        ) : (
          <controls.Part>
            <page.Part />
          </controls.Part>
        )}
      </Suspense>
    ),
  };
}

/** Refused users who are signed in keep menu and search; /403 is public, so others see the page alone (@spec seed §2). */
function ShellOfUser() {
  const isSignedIn = useSession((state) => state.user !== null && !state.expired);
  return <Suspense fallback={null}>{isSignedIn ? <layout.Part /> : <Outlet />}</Suspense>;
}

export function createRouter(queries: QueryClient) {
  const mayOpen = guard(queries);
  const guarded = { loader: withParts([layout], mayOpen), shouldRevalidate: onlyNewPath };
  const inShell: RouteObject[] = [
    ...PAGE_PATHS.filter((path) => !PAGES[path].isBare).map((path) => routeOf(path, mayOpen)),
    ...groupPaths.map((path) => ({ path, element: <GroupHome path={path} />, handle: metaOf(path), ...guarded })),
  ] as RouteObject[]; // the union of index and path routes is lost by the spread
  return createBrowserRouter(
    [
      {
        element: <DocumentTitle />,
        errorElement: <Crashed />,
        hydrateFallbackElement: <ShellComing />,
        children: [
          { path: '/', element: <Navigate replace to={HOME} /> },
          ...PAGE_PATHS.filter((path) => PAGES[path].isBare && path !== PAGE_PATH.forbidden).map((path) => routeOf(path)),
          { element: <ShellOfUser />, children: [routeOf(PAGE_PATH.forbidden)] },
          { path: '/redirect/*', element: <Redirect /> },
          {
            element: (
              <Suspense fallback={null}>
                <layout.Part />
              </Suspense>
            ),
            children: inShell,
          },
          { path: '*', element: <NotFound /> },
        ],
      },
    ],
    { basename: CONSOLE_BASE },
  );
}
