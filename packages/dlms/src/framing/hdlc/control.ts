/** Unnumbered frames. */
const UNNUMBERED = { snrm: 0x83, disc: 0x43, ua: 0x63, dm: 0x0f, frmr: 0x87, ui: 0x03 } as const;
const SUPERVISORY = { rr: 0x01, rnr: 0x05 } as const;
const POLL_FINAL = 0x10;

export type UnnumberedKind = keyof typeof UNNUMBERED;
export type SupervisoryKind = keyof typeof SUPERVISORY;

/**
 * Control field of a frame. `pollFinal` passes the turn: a client polls the server, a server has finished. `receiveSequence` (N(R)) is the
 * next number expected and acknowledges all frames before it.
 */
export type HdlcControl =
  | { kind: 'i'; sendSequence: number; receiveSequence: number; pollFinal: boolean }
  | { kind: SupervisoryKind; receiveSequence: number; pollFinal: boolean }
  | { kind: UnnumberedKind; pollFinal: boolean };

export type HdlcKind = HdlcControl['kind'];

const unnumberedOf = new Map(Object.entries(UNNUMBERED).map(([kind, octet]) => [octet as number, kind as UnnumberedKind])); // as: entries() widens
const supervisoryOf = new Map(Object.entries(SUPERVISORY).map(([kind, octet]) => [octet as number, kind as SupervisoryKind])); // as: entries() widens

/**
 * Decodes a control octet; `undefined` if HDLC's normal response mode does not define it.
 *
 * | I | RR | RNR | SNRM | DISC | UA | DM | FRMR | UI |
 * |--|--|--|--|--|--|--|--|--|
 * | `RRR P SSS 0` | `RRR P 0001` | `RRR P 0101` | 93 | 53 | 73 | 1F | 97 | 13 |
 *
 * (the unnumbered ones with their poll/final bit set)
 * @spec IEC 62056-46 (commands and responses)
 */
export function controlOf(octet: number): HdlcControl | undefined {
  const pollFinal = (octet & POLL_FINAL) !== 0;
  const receiveSequence = octet >>> 5;
  if ((octet & 1) === 0) return { kind: 'i', sendSequence: (octet >>> 1) & 7, receiveSequence, pollFinal };
  const supervisory = supervisoryOf.get(octet & 0x0f);
  if (supervisory !== undefined) return { kind: supervisory, receiveSequence, pollFinal };
  const kind = unnumberedOf.get(octet & ~POLL_FINAL);
  return kind === undefined ? undefined : { kind, pollFinal };
}

/** Encodes the control octet; sequence numbers are modulo 8. @spec IEC 62056-46 (commands and responses) */
export function controlOctet(control: HdlcControl): number {
  const pollFinal = control.pollFinal ? POLL_FINAL : 0;
  if (control.kind === 'i') return ((control.receiveSequence & 7) << 5) | pollFinal | ((control.sendSequence & 7) << 1);
  if (control.kind === 'rr' || control.kind === 'rnr') return ((control.receiveSequence & 7) << 5) | pollFinal | SUPERVISORY[control.kind];
  return UNNUMBERED[control.kind] | pollFinal;
}
