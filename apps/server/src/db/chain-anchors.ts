import type { Chain, ChainBreakKind } from '@hes/contract/audit/actions.ts';
import type { Secrets } from '#platform/secrets.ts';
import { AuthenticatedFile } from './authenticated-file.ts';

/** The newest row of a chain, with its hash in hexadecimal. An empty chain has id `0`. */
export interface ChainHead {
  id: string;
  hash: string;
}

/** A contradiction between an anchor and the database. Times are ISO 8601. */
export interface ChainBreak {
  at: string;
  /** `cut`: the anchored row is gone. `changed`: it has another hash. `anchor_lost`: the anchor file was missing or not authentic. */
  kind: ChainBreakKind;
  /** The newest anchored row, and the newest row of the database at that time. */
  anchoredId: string;
  foundId: string;
}

export interface Anchor extends ChainHead {
  at: string;
  /** Hashes of this row and later ones use the key. */
  keyedFrom: string;
  /** Limited to the first `MOST_BREAKS`. */
  breaks: ChainBreak[];
}

type Anchors = Partial<Record<Chain, Anchor>>;

const FILE = 'chain-anchors.json';
/** Limits the file, because an intruder could otherwise fill the disk. */
const MOST_BREAKS = 100;

/**
 * Stores the newest row of each chain in an authenticated file of the data folder, so that changes of a chain in the database alone are
 * detected. The key is not in the database. Without a folder (tests), anchors are in memory.
 */
export class ChainAnchors {
  readonly #file: AuthenticatedFile<'anchors', Anchors>;
  #held: Anchors | undefined;

  constructor(dataDir: string | undefined, secrets: Secrets) {
    this.#file = new AuthenticatedFile({ dataDir, file: FILE, name: 'anchors' }, ...secrets.verifiers('chain anchors'));
    this.#held = this.#file.read();
  }

  /** Undefined until the chain is first checked with the present file. */
  of(chain: Chain): Anchor | undefined {
    return this.#held?.[chain];
  }

  /** The file is written when this returns. */
  hold(chain: Chain, anchor: Anchor): void {
    const held = { ...this.#held, [chain]: { ...anchor, breaks: anchor.breaks.slice(0, MOST_BREAKS) } };
    this.#file.write(held);
    this.#held = held;
  }
}
