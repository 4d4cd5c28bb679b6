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
  'line_noise',
  'wrong_block',
  'same_block',
  'no_last_block',
  'stale_invoke',
  'rollover',
  'quick_line',
] as const;

/**
 * silence: does not respond. drop: discards a round trip. garbage: responds with octets that are no APDU (a DCU: no DLMS
 * at all).
 * wrong_key: the device has other keys than the archive. half_open: the DCU keeps its socket open but sends nothing more,
 * heartbeats included.
 * lost_answer: the DCU or the meter executes the request, and its response is lost. cut: the connection closes before the
 * request is executed. cut_after: it closes after the execution, before the response. For a DCU, these three affect
 * requests to itself. refuse_archive: its archive rejects changes.
 * lost_switch: the meter switches its relay, and its response is lost.
 * bad_image: the device fails the verification of the next image. lost_block: it confirms a block and does not store it.
 * activation_power_cut: power fails during the activation of an image. broken_version: the next version runs and measures
 * nothing. no_return: after the activation the device stays offline.
 * absent: the DCU stops dialling in; its existing connection is closed by the control API.
 * torn: the connection of the DCU closes in the middle of a response. trickle: a response arrives octet by octet.
 * overlong: a header announces 65,535 octets, and ten follow. bit_flip: one bit of a meter's response is wrong. replay:
 * the meter repeats its previous response. deny: it denies access to an object, with another reason each time. exception:
 * it sends an exception-response. counter_ahead: it has accepted invocation counters far above those of the head-end.
 * wrong_stamps: the rows of its profiles are stamped two hours late, a year early, in 2099, or without a time.
 * other_period: from `at` on the interval profiles of a meter capture at twice the period; earlier rows stay.
 * other_layout: at `at` E+ and E− swap their columns in the capture lists, and the buffers start again. other_scaler: from
 * `at` on energies are counted in tens of watt-hours. full_register: all bits of E+ are 1, which means that there is no
 * value. crossed: requests to the meter reach the meter `to`.
 * unprotected: the meter accepts the management client without authentication and ciphering. endless_blocks: reads of its
 * registers and buffers return blocks of `octets` octets without end.
 * glued: frames of the DCU are collected for some milliseconds and written at once. sliced: each frame is written in many
 * small pieces.
 * line_noise: one bit of a frame of the DCU or direct meter is wrong; in HDLC the frame is dropped and sent again.
 * twice: every frame of the DCU is sent twice. wrong_block, same_block, no_last_block: a block of a GET response has a
 * wrong number, repeats the previous block, or lacks the last-block flag. stale_invoke: a response has another invoke id
 * than its request. These four change octets of responses, so they apply to meters without ciphering. rollover: the
 * profile buffers hold rows since `at` only, and each read of a buffer removes the oldest quarter-hour.
 * quick_line: the line below the DCU has negligible latency and no loss.
 * slow: every round trip takes `delayMs` longer. mute_heartbeat: the DCU responds, but sends no heartbeats.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  /** Serial number of a DCU or meter. */
  target: string;
  kind: FaultKind;
  /** Number of effects after which the fault ends; absent: until cleared. */
  count?: number;
  /** Milliseconds; for `slow`. */
  delayMs?: number;
  /** Number of effects to skip before the fault begins. */
  skip?: number;
  /** Moment of the change, epoch milliseconds. */
  at?: number;
  /** For `crossed`: serial number of the meter that responds. */
  to?: string;
  /** For `endless_blocks`: size of a block; default: the largest that fits. */
  octets?: number;
}

/** Counted effects: faults, and meters that their DCU cannot reach because they are lost or moved. */
export type StrikeKind = FaultKind | 'lost' | 'moved';

export interface Strikes {
  target: string;
  kind: StrikeKind;
  /** Number of effects since the start, cleared faults included. */
  times: number;
}

/** The active faults with counters of their effects. Devices query them; the control API adds and clears them. */
export interface Faults {
  add(fault: Fault): void;
  clear(target?: string, kind?: FaultKind): void;
  list(): Fault[];
  strikes(): Strikes[];
  /** Counts an effect of an active fault without consuming it. */
  struck(target: string, kind: StrikeKind): void;
  /** Whether the fault is active; consumes nothing. */
  has(target: string, kind: FaultKind): boolean;
  /** The active fault with its parameters; consumes nothing. */
  of(target: string, kind: FaultKind): Readonly<Fault> | undefined;
  /** Returns the active fault and counts one effect. */
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
