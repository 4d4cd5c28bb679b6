import type { Chain, ChainBreakKind } from '@hes/contract/audit/actions.ts';
import type { Secrets } from '#platform/secrets.ts';
import { ProvedFile } from './proved-file.ts';

/** The newest row of a chain, with its hash in hexadecimal. An empty chain has id `0`. */
export interface ChainHead {
  id: string;
  hash: string;
}

/** What was found missing or different in the database where the anchor says what it was. Times in ISO 8601. */
export interface ChainBreak {
  at: string;
  /** `cut`: the anchored row is gone. `changed`: it has another hash. `anchor_lost`: the file was gone or not of this head-end. */
  kind: ChainBreakKind;
  /** The newest row that was anchored, and the newest that the database held then. */
  anchoredId: string;
  foundId: string;
}

export interface Anchor extends ChainHead {
  at: string;
  /** Rows from here on have hashes with the key. */
  keyedFrom: string;
  /** Never shortened. */
  breaks: ChainBreak[];
}

type Anchors = Record<Chain, Anchor>;

const FILE = 'chain-anchors.json';
/** Enough to see what happened; an intruder must not fill the disk. */
const MOST_BREAKS = 100;

/**
 * The newest row of each chain, in a file of the data folder: the database alone cannot shorten or rewrite a chain unseen. The file proves itself
 * by a key that is not in the database. Without a folder, in tests, it is kept in memory.
 */
export class ChainAnchors {
  readonly #file: ProvedFile<'anchors', Anchors>;
  #held: Anchors | undefined;

  constructor(dataDir: string | undefined, secrets: Secrets) {
    this.#file = new ProvedFile({ dataDir, file: FILE, name: 'anchors' }, ...secrets.verifiers('chain anchors'));
    this.#held = this.#file.read();
  }

  /** Undefined until the first look at the database. */
  of(chain: Chain): Anchor | undefined {
    return this.#held?.[chain];
  }

  /** Writes the file before it answers. */
  hold(chain: Chain, anchor: Anchor): void {
    const held = { ...emptyAnchors(), ...this.#held, [chain]: { ...anchor, breaks: anchor.breaks.slice(0, MOST_BREAKS) } };
    this.#file.write(held);
    this.#held = held;
  }
}

const emptyAnchor = (): Anchor => ({ id: '0', hash: '', at: new Date(0).toISOString(), keyedFrom: '1', breaks: [] });
const emptyAnchors = (): Anchors => ({ audit: emptyAnchor(), commands: emptyAnchor() });
