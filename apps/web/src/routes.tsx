import type { QueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, type ShouldRevalidateFunction } from 'react-router';
import { HOME, pages, plannedPaths, type PageEntry } from './page-list.ts';
import { groupPaths, metaOf } from './page-meta.ts';
import { DocumentTitle } from './shell/document-title.tsx';
import { guard } from './shell/guard.ts';
import { PageComing } from './shell/loading-overlay.tsx';
import { Crashed, GroupHome, NotBuilt, NotFound, Redirect } from './shell/notices.tsx';

/** Who signs in does not wait for what surrounds the pages. */
const Layout = lazy(async () => ({ default: (await import('./shell/layout.tsx')).Layout }));

/** A filter in the address is no new page. */
const onlyNewPath: ShouldRevalidateFunction = ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname;

function routeOf(page: PageEntry): RouteObject {
  const Page = lazy(page.load);
  return {
    path: page.path,
    handle: metaOf(page.path),
    errorElement: <Crashed />,
    element: (
      <Suspense fallback={<PageComing />}>
        <Page />
      </Suspense>
    ),
  };
}

export function createRouter(queries: QueryClient) {
  const guarded = { loader: guard(queries), shouldRevalidate: onlyNewPath };
  const inShell: RouteObject[] = [
    ...pages.filter((page) => page.frame === 'shell').map((page) => ({ ...routeOf(page), ...guarded })),
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
          ...pages.filter((page) => page.frame === 'bare').map(routeOf),
          { path: '/redirect/*', element: <Redirect /> },
          {
            element: (
              <Suspense fallback={null}>
                <Layout />
              </Suspense>
            ),
            children: inShell,
          },
          { path: '*', element: <NotFound /> },
        ],
      },
    ],
    { basename: '/hes' },
  );
}
