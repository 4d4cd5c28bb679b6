import type { Text } from '@hes/contract/core/text.ts';
import { pages } from './page-list.ts';
import { titles } from './page.messages.ts';

/** What a route says about itself: to the document title, to the tabs, and to the layout that shows it. */
export interface RouteMeta {
  title: Text | undefined;
  /** Every visit starts anew. Without it the page is kept as it was, out of sight. */
  ignoreCache: boolean;
  disableTab: boolean;
}

/** Pages that cost much to draw and are come back to all day. */
const KEPT = new Set(['/dashboard', '/meter-management/network/network-topology']);
const bare = new Set<string>(pages.filter((page) => page.frame === 'bare').map((page) => page.path));

/** `/assets` and `/meter-management/network` are no pages: they lead to the first page in them. */
export const groupPaths: readonly string[] = [
  ...new Set(Object.keys(titles).flatMap((path) => [...path.matchAll(/(?<=.)\//g)].map((slash) => path.slice(0, slash.index)))),
];

export const metaOf = (path: string): RouteMeta => {
  const title = titles[path as keyof typeof titles] as Text | undefined; // unknown paths and groups have none
  return { title, ignoreCache: !KEPT.has(path), disableTab: title === undefined || bare.has(path) };
};
