import { nodeOf, tree, type TreeNode } from '@hes/contract/asset/tree.ts';
import { to } from '@hes/contract/page/links.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useEffect, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';

/** Shorter parts of a serial number match too much. */
const MIN_CHARACTERS = 4;
const MAX_DEVICES = 8;
const PAUSE_MS = 200;

export interface FoundDevice {
  kind: 'dcu' | 'meter';
  id: string;
  sn: string;
  /** Path of its status. */
  path: string;
}

/** The page whose right the status of a device has. */
const PAGE = { dcu: PAGE_PATH.dcus, meter: PAGE_PATH.meterAssets } as const;

/** The devices among search results whose page the user may open. */
export const devicesOf = (nodes: TreeNode[], mayOpen: (path: string) => boolean): FoundDevice[] =>
  nodes
    .flatMap(({ key, title }) => {
      const { kind, id } = nodeOf(key);
      return kind === 'dcu' || kind === 'meter' ? [{ kind, id, sn: title, path: to.status({ node: `${kind}:${id}` }) }] : [];
    })
    .filter(({ kind }) => mayOpen(PAGE_PATH.status) && mayOpen(PAGE[kind]))
    .slice(0, MAX_DEVICES);

/** Serial numbers may be typed in groups, as they are displayed. */
const snPart = (query: string): string => query.replaceAll(/\s/g, '');

/** The text, debounced. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** DCUs and meters whose serial number contains the typed text. */
export function useFoundDevices(query: string, mayOpen: (path: string) => boolean): FoundDevice[] {
  const search = usePaused(snPart(query));
  const enabled = search.length >= MIN_CHARACTERS && /\d/.test(search);
  const found = useApiQuery(tree.children, { query: { search }, enabled, keep: true });
  return enabled && snPart(query).length >= MIN_CHARACTERS ? devicesOf(found.data?.items ?? [], mayOpen) : [];
}
