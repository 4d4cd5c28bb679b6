import type { Text } from '@hes/contract/core/text.ts';
import { pages } from './page-list.ts';
import { titles } from './page.messages.ts';

/** Properties of a route for the document title, the tabs and the layout. */
export interface RouteMeta {
  title: Text | undefined;
  /** Every visit mounts the page again; otherwise it stays mounted while hidden. */
  ignoreCache: boolean;
  disableTab: boolean;
}

/** Pages that are expensive to render and often visited. */
const KEPT = new Set(['/dashboard', '/meter-management/network/network-topology']);
const bare = new Set<string>(pages.filter((page) => page.frame === 'bare').map((page) => page.path));

/** Groups such as `/assets` and `/meter-management/network` redirect to their first page. */
export const groupPaths: readonly string[] = [
  ...new Set(Object.keys(titles).flatMap((path) => [...path.matchAll(/(?<=.)\//g)].map((slash) => path.slice(0, slash.index)))),
];

export const metaOf = (path: string): RouteMeta => {
  const title = titles[path as keyof typeof titles] as Text | undefined; // unknown paths and groups have none
  return { title, ignoreCache: !KEPT.has(path), disableTab: title === undefined || bare.has(path) };
};
