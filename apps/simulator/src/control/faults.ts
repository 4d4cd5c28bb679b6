export const FAULT_KINDS = [
  'silence',
  'drop',
  'garbage',
  'wrong_key',
  'half_open',
  'slow',
  'mute_heartbeat',
  'lost_answer',
  'cut',
  'cut_after',
  'refuse_archive',
  'bad_image',
  'lost_block',
  'activation_power_cut',
  'broken_version',
  'no_return',
  'lost_switch',
  'absent',
  'torn',
  'trickle',
  'overlong',
  'bit_flip',
  'replay',
  'deny',
  'exception',
  'counter_ahead',
  'wrong_stamps',
  'other_period',
  'other_layout',
  'other_scaler',
  'full_register',
  'crossed',
  'unprotected',
  'endless_blocks',
  'glued',
  'sliced',
  'twice',
  'wrong_block',
  'same_block',
  'no_last_block',
  'stale_invoke',
  'rollover',
  'quick_line',
] as const;

/**
 * silence: answers nothing. drop: swallows an exchange. garbage: answers with octets that are no APDU (a DCU: no DLMS at all).
 * wrong_key: the device has other keys than the archive. half_open: the DCU keeps its socket and says nothing more, heartbeats included.
 * lost_answer: the DCU or the meter does what it was asked, and its answer is lost. cut: its connection breaks before it has done anything. cut_after: it
 * breaks when all is done and nothing is answered. Of a DCU, these three strike requests to itself. refuse_archive: its archive takes no change.
 * lost_switch: the meter switches its relay, and its answer is lost.
 * bad_image: the device finds the next image wrong. lost_block: it confirms a block and does not keep it. activation_power_cut: power fails
 * while it takes an image into use. broken_version: the next version runs and measures nothing. no_return: after it nobody answers any more.
 * absent: the DCU does not dial in any more; what it has is cut by the door.
 * torn: the connection of the DCU breaks in the middle of an answer. trickle: an answer comes octet by octet. overlong: a header promises
 * 65,535 octets, and ten come. bit_flip: one bit of a meter's answer is wrong. replay: the meter gives an earlier answer. deny: it denies an
 * object, for another reason each time. exception: it answers that it cannot. counter_ahead: it has seen counters far above ours.
 * wrong_stamps: the rows of its profiles say that they were captured two hours later, a year earlier, in 2099, or at no time at all.
 * other_period: from `at` on the interval profiles of a meter capture at twice the period; the rows before stay as they are. other_layout: at
 * `at` E+ and E− change places in the capture lists, and the buffers begin again. other_scaler: from `at` on energies are counted in tens of
 * watt-hours. full_register: E+ is filled with ones, which means that there is no value. crossed: requests to the meter reach the meter `to`.
 * unprotected: the meter lets the management client in without authentication and without ciphering. endless_blocks: its registers and
 * buffers are answered with blocks of `octets` octets that do not end.
 * glued: frames of the DCU are collected for some milliseconds and written at once. sliced: each frame is written in many small pieces.
 * twice: every frame of the DCU is sent two times. wrong_block, same_block, no_last_block: a block of a GET response has a wrong number, is
 * the one before it, or lacks the flag of the last block. stale_invoke: a response has another invoke id than its request. These four
 * change octets of responses, so they apply to meters that do not cipher. rollover: the profile buffers hold rows since `at` only, and each
 * read of a buffer removes the oldest quarter of an hour.
 * quick_line: the line below the DCU has no latency and no losses to speak of.
 * slow: every exchange takes `delayMs` longer. mute_heartbeat: the DCU answers, but forgets its heartbeats.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  /** Serial of a DCU or meter. */
  target: string;
  kind: FaultKind;
  /** How often it strikes before it is gone; absent: until cleared. */
  count?: number;
  /** For `slow`. */
  delayMs?: number;
  /** How many strikes pass before it begins. */
  skip?: number;
  /** For what changes at a moment, epoch milliseconds. */
  at?: number;
  /** For `crossed`: serial of the meter that answers. */
  to?: string;
  /** For `endless_blocks`; as many as fit when not said. */
  octets?: number;
}

/** What is counted: faults, and meters that their DCU does not reach because they are lost or moved. */
export type StrikeKind = FaultKind | 'lost' | 'moved';

export interface Strikes {
  target: string;
  kind: StrikeKind;
  /** How often the fault took effect since the start, cleared faults included. */
  times: number;
}

/** The faults in force, and how often each took effect. Devices ask; the control door sets and clears. */
export interface Faults {
  add(fault: Fault): void;
  clear(target?: string, kind?: FaultKind): void;
  list(): Fault[];
  strikes(): Strikes[];
  /** Counts an effect of a fault that is in force without being used up. */
  struck(target: string, kind: StrikeKind): void;
  /** In force, without using it up. */
  has(target: string, kind: FaultKind): boolean;
  /** The same, with what it says. */
  of(target: string, kind: FaultKind): Readonly<Fault> | undefined;
  /** In force; counts one strike. */
  strike(target: string, kind: FaultKind): Fault | undefined;
}

export function createFaults(): Faults {
  let faults: Fault[] = [];
  const counts = new Map<string, Strikes>();
  const struck = (target: string, kind: StrikeKind): void => {
    const key = `${target} ${kind}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { target, kind, times: 1 });
    else known.times++;
  };
  const find = (target: string, kind: FaultKind): Fault | undefined =>
    faults.length === 0 ? undefined : faults.find((fault) => fault.target === target && fault.kind === kind);
  return {
    add(fault) {
      faults = faults.filter((known) => known.target !== fault.target || known.kind !== fault.kind);
      faults.push({ ...fault });
    },
    clear(target, kind) {
      faults = faults.filter((fault) => (target !== undefined && fault.target !== target) || (kind !== undefined && fault.kind !== kind));
    },
    strikes: () => [...counts.values()],
    struck,
    list: () => faults.map((fault) => ({ ...fault })),
    has: (target, kind) => find(target, kind) !== undefined,
    of: find,
    strike(target, kind) {
      const fault = find(target, kind);
      if (fault?.skip !== undefined && fault.skip > 0) {
        fault.skip--;
        return undefined;
      }
      if (fault !== undefined) struck(target, kind);
      if (fault?.count !== undefined && --fault.count <= 0) faults = faults.filter((other) => other !== fault);
      return fault;
    },
  };
}
