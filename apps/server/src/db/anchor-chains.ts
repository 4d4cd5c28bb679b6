import { CHAINS, type Chain } from '@hes/contract/audit/actions.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db } from './context.ts';
import type { Anchor, ChainAnchors, ChainBreak, ChainHead } from './chain-anchors.ts';
import { findHead } from './chain-heads.ts';

export interface AnchorTools {
  db: Db;
  clock: Pick<Clock, 'now'>;
  anchors: ChainAnchors;
}

export interface AnchoredChain extends ChainHead {
  chain: Chain;
  /** Rows that are missing or differ since the anchor last moved. */
  broken: ChainBreak | undefined;
}

/**
 * Moves the anchor of each chain to its newest row and returns the chains that moved. A row that was cut or changed since the last anchor
 * is recorded in the new anchor.
 */
export async function anchorChains(tools: AnchorTools): Promise<AnchoredChain[]> {
  const moved: AnchoredChain[] = [];
  for (const chain of CHAINS) {
    const found = await anchorChain(tools, chain);
    if (found !== undefined) moved.push(found);
  }
  return moved;
}

async function anchorChain({ db, clock, anchors }: AnchorTools, chain: Chain): Promise<AnchoredChain | undefined> {
  const anchor = anchors.of(chain);
  const { id, hash, anchoredHash } = await findHead(db, chain, anchor?.id ?? '0');
  const at = new Date(clock.now()).toISOString();
  const base = { at, anchoredId: anchor?.id ?? '0', foundId: id };
  if (anchor === undefined) {
    // A version without keys wrote these rows, or the anchor file is lost: later rows are chained with the key.
    const broken = id === '0' ? undefined : ({ ...base, kind: 'anchor_lost' } as const);
    anchors.hold(chain, { id, hash, at, keyedFrom: String(BigInt(id) + 1n), breaks: broken === undefined ? [] : [broken] });
    return broken && { chain, id, hash, broken };
  }
  const broken = breakOf(anchor, anchoredHash, base);
  if (broken === undefined && anchor.id === id) return undefined;
  anchors.hold(chain, { ...anchor, id, hash, at, breaks: broken === undefined ? anchor.breaks : [...anchor.breaks, broken] });
  return { chain, id, hash, broken };
}

function breakOf(anchor: Anchor, anchoredHash: string | undefined, base: Omit<ChainBreak, 'kind'>): ChainBreak | undefined {
  if (anchor.id === '0' || anchoredHash === anchor.hash) return undefined;
  return { ...base, kind: anchoredHash === undefined ? 'cut' : 'changed' };
}
