import { module, type ModuleNode } from '@hes/contract/manager/module.ts';
import { pick, type Locale, type Text } from '@hes/contract/core/text.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { HOME, metaOf, pageAt, PAGE_PATHS, PAGES, type RouteMeta } from '#core/url/pages.ts';

export const nameOf = (node: ModuleNode): Text => ({ en: node.name.en, zh: node.name['zh-CN'] });

/** Only modules with children are kept (@spec seed §6). */
export const keptModules = (tree: ModuleNode[]): ModuleNode[] => tree.filter((node) => node.children.length > 0);

/** The modules of the menu. A group without visible pages is left out, because it would look like a page. */
export function menuModules(tree: ModuleNode[]): ModuleNode[] {
  return tree
    .filter((node) => node.visible && pageAt(node.path)?.isOutsideMenu !== true)
    .toSorted((a, b) => a.sort - b.sort)
    .flatMap((node) => {
      const children = menuModules(node.children);
      return node.children.length > 0 && children.length === 0 ? [] : [{ ...node, children }];
    });
}

export interface FlatModule {
  id: string;
  path: string;
  routeName: string;
  localeName: Text;
  meta: RouteMeta & { icon: string };
  /** Names from the root to the page. */
  names: Text[];
}

export const routeNameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** The pages of a tree with their paths and the names of their ancestors. */
export function flatten(tree: ModuleNode[], above: Text[] = []): FlatModule[] {
  return tree.flatMap((node) => {
    const localeName = nameOf(node);
    const names = [...above, localeName];
    if (node.children.length > 0) return flatten(node.children, names);
    const meta = { ...metaOf(node.path), ...node.meta };
    return [{ id: node.id, path: node.path, routeName: routeNameOf(node.path), localeName, meta, names }];
  });
}

/** The modules with the pages that belong to one, such as the audit log: they have its right and are in no menu. */
export const withInnerPages = (modules: FlatModule[]): FlatModule[] =>
  modules.flatMap((entry) => [
    entry,
    ...PAGE_PATHS.filter((path) => PAGES[path].belongsTo === entry.path).map((path) => ({
      ...entry,
      id: path,
      path,
      routeName: routeNameOf(path),
      localeName: PAGES[path].title,
      names: [...entry.names.slice(0, -1), PAGES[path].title],
    })),
  ]);

/** Whether the user may open a path: always the dashboard, and a group if it contains an allowed page. */
export const isAllowed = (tree: ModuleNode[], path: string): boolean =>
  path === HOME || firstPageIn(tree, pageAt(path)?.belongsTo ?? path) !== undefined;

/** The page at a path, or the first one below it. */
export const firstPageIn = (tree: ModuleNode[], path: string): string | undefined =>
  flatten(keptModules(tree)).find((entry) => entry.path === path || entry.path.startsWith(`${path}/`))?.path;

/** Matches `Assets-DCU` as a substring, case-insensitive in languages with cases. */
export function searchModules(modules: FlatModule[], query: string, locale: Locale): { path: string; label: string }[] {
  const wanted = query.trim();
  const fold = (text: string) => (locale === 'zh-CN' ? text : text.toLowerCase());
  if (wanted === '') return [];
  return modules
    .map((entry) => ({ path: entry.path, label: entry.names.map((name) => pick(name, locale)).join('-') }))
    .filter((entry) => fold(entry.label).includes(fold(wanted)));
}

/** The user's module tree, loaded once and cached. */
export const useModules = () => useApiQuery(module.tree, { staleMs: Infinity });
