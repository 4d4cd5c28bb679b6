import type { QueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import { createBrowserRouter, Navigate, type LoaderFunction, type RouteObject, type ShouldRevalidateFunction } from 'react-router';
import { CONSOLE_BASE } from '#shared/api/addresses.ts';
import { preloadable, type Preloadable } from './preloadable.tsx';
import { HOME, pages, plannedPaths, type PageEntry } from './page-list.ts';
import { groupPaths, metaOf } from './page-meta.ts';
import { DocumentTitle } from './shell/document-title.tsx';
import { guard } from './shell/guard.ts';
import { PageComing } from './shell/loading-overlay.tsx';
import { Crashed, GroupHome, NotBuilt, NotFound, Redirect } from './shell/notices.tsx';

/** Loaded separately, so that the sign-in page does not wait for it. */
const layout = preloadable(async () => ({ default: (await import('./shell/layout.tsx')).Layout }));

/** The component library, which most pages need. */
const controls = preloadable(async () => ({ default: (await import('#shared/theme/controls.tsx')).Controls }));

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

function routeOf({ path, frame, isPlain, load }: PageEntry, guarded?: LoaderFunction): RouteObject {
  const page = preloadable(load);
  const surroundings = [...(frame === 'shell' ? [layout] : []), ...(isPlain ? [] : [controls])];
  return {
    path,
    loader: withParts([...surroundings, page], guarded),
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

export function createRouter(queries: QueryClient) {
  const mayOpen = guard(queries);
  const guarded = { loader: withParts([layout], mayOpen), shouldRevalidate: onlyNewPath };
  const inShell: RouteObject[] = [
    ...pages.filter((page) => page.frame === 'shell').map((page) => routeOf(page, mayOpen)),
    ...plannedPaths.map((path) => ({ path, element: <NotBuilt path={path} />, handle: metaOf(path), ...guarded })),
    ...groupPaths.map((path) => ({ path, element: <GroupHome path={path} />, handle: metaOf(path), ...guarded })),
  ] as RouteObject[]; // the union of index and path routes is lost by the spread
  return createBrowserRouter(
    [
      {
        element: <DocumentTitle />,
        errorElement: <Crashed />,
        hydrateFallbackElement: <></>,
        children: [
          { path: '/', element: <Navigate replace to={HOME} /> },
          ...pages.filter((page) => page.frame === 'bare').map((page) => routeOf(page)),
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
