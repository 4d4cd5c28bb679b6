/** Periodic jobs of the whole installation. All are safe to repeat, so that a node that is declared dead by mistake does no harm with its last run. */
export const TURNS = {
  arrivals: 'Orders the analysis of new readings.',
  certificates: 'Reports certificates that expire.',
  gaps: 'Records gaps of plans and orders their refills.',
  queue: 'Ends expired items and deletes the claims of ended ones.',
  relays: 'Detects commands and limits that the product did not write.',
  retention: 'Creates the partitions of the coming months and deletes old rows.',
  topologies: 'Orders the reading of networks that are due.',
} as const satisfies Record<string, string>;

export type Turn = keyof typeof TURNS;

export interface Turns {
  /** Whether this node has the turn, which it keeps until it ends. It takes one without a living holder. */
  takeTurn(turn: Turn): Promise<boolean>;
}

/** Restricts a periodic job to the node that has its turn. */
export const inTurn =
  (turns: Turns, turn: Turn, work: () => Promise<unknown>): (() => Promise<void>) =>
  async () => {
    if (await turns.takeTurn(turn)) await work();
  };
