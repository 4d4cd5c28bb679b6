import { nodeOf, tree, type TreeNode } from '@hes/contract/asset/tree.ts';
import { to } from '@hes/contract/page/links.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { customerStatus } from '@hes/contract/status/customer-status.ts';
import { useEffect, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';

/** Shorter parts of a serial number match too much. */
const MIN_CHARACTERS = 4;
const MAX_DEVICES = 8;
const PAUSE_MS = 200;

export interface FoundDevice {
  kind: 'dcu' | 'meter' | 'transformer' | 'customer';
  id: string;
  /** Serial number of a device, name of a transformer, number of a customer. */
  sn: string;
  /** Name of a customer. */
  name: string | null;
  /** Path of its status. */
  path: string;
}

/** The page whose right the status of a device has. */
const PAGE = { dcu: PAGE_PATH.dcus, meter: PAGE_PATH.meterAssets, transformer: PAGE_PATH.transformers } as const;

/** The devices and transformers among search results whose page the user may open. */
export const devicesOf = (nodes: TreeNode[], mayOpen: (path: string) => boolean): FoundDevice[] =>
  nodes
    .flatMap(({ key, title }) => {
      const { kind, id } = nodeOf(key);
      return kind === 'level' ? [] : [{ kind, id, sn: title, name: null, path: to.status({ node: `${kind}:${id}` }) }];
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

/** Devices whose serial number, and transformers and customers whose name or number, contains the typed text. */
export function useFoundDevices(query: string, mayOpen: (path: string) => boolean): FoundDevice[] {
  const text = usePaused(query.trim());
  const search = /\d/.test(text) ? snPart(text) : text;
  const enabled = search.length >= MIN_CHARACTERS;
  const found = useApiQuery(tree.children, { query: { search }, enabled, keep: true });
  const mayFind = mayOpen(PAGE_PATH.status);
  const customers = useApiQuery(customerStatus.search, { query: { text }, enabled: enabled && mayFind, keep: true });
  if (!enabled || snPart(query).length < MIN_CHARACTERS) return [];
  const supplies = (customers.data?.items ?? []).map(({ no, name }) => ({
    kind: 'customer' as const,
    id: no,
    sn: no,
    name,
    path: to.status({ customer: no }),
  }));
  return [...devicesOf(found.data?.items ?? [], mayOpen), ...supplies];
}
