/** Periodic jobs of the whole installation. All may be repeated, so that the last run of a node that was declared dead by mistake does no harm. */
export type Turn =
  /** Finds alarms in new events and sends their messages. */
  | 'alarms'
  /** Orders the analysis of new readings. */
  | 'arrivals'
  /** Reports certificates that expire. */
  | 'certificates'
  /** Sends what is stored to other systems. */
  | 'deliveries'
  /** Records gaps of plans and orders their refills. */
  | 'gaps'
  /** Ends expired items and deletes the claims of ended ones. */
  | 'queue'
  /** Detects commands and limits that the product did not write. */
  | 'relays'
  /** Creates the partitions of the coming months and deletes old rows. */
  | 'retention'
  /** Orders the reading of networks that are due. */
  | 'topologies';

export interface Turns {
  /** Whether this node has the turn, which it keeps until it ends or drains. It takes one without a living holder. */
  takeTurn(turn: Turn): Promise<boolean>;
}

/** Restricts a periodic job to the node that has its turn. */
export const inTurn =
  (turns: Turns, turn: Turn, work: () => Promise<unknown>): (() => Promise<void>) =>
  async () => {
    if (await turns.takeTurn(turn)) await work();
  };
