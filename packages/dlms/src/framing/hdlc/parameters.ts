/** Link parameters that one side proposes. */
export interface HdlcParameters {
  /** Maximum octets of an information field. */
  maxInformationTransmit: number;
  maxInformationReceive: number;
  /** Window: frames in flight without acknowledgement, 1 to 7. */
  windowTransmit: number;
  windowReceive: number;
}

/** Values that apply when SNRM or UA omit a parameter. */
export const DEFAULT_PARAMETERS: HdlcParameters = {
  maxInformationTransmit: 128,
  maxInformationReceive: 128,
  windowTransmit: 1,
  windowReceive: 1,
};

const FORMAT = 0x81;
const GROUP = 0x80;
const GROUP_START = 3;
const MAX_WINDOW = 7;
const MAX_LENGTH = 0xffff;
const NAMES = new Map<number, keyof HdlcParameters>([
  [0x05, 'maxInformationTransmit'],
  [0x06, 'maxInformationReceive'],
  [0x07, 'windowTransmit'],
  [0x08, 'windowReceive'],
]);
const WINDOWS: ReadonlySet<string> = new Set(['windowTransmit', 'windowReceive']);
const MAX_PARAMETER_SIZE = 4;
/** Encoded size of a window parameter with its id and length. */
const WINDOW_SIZE = 2 + MAX_PARAMETER_SIZE;

/**
 * The information field of SNRM and UA. Information lengths take one or two octets, windows four.
 *
 * ```
 * 81 80 LL | 05 len max-info-transmit | 06 len max-info-receive | 07 04 window-transmit | 08 04 window-receive
 * ```
 * @spec IEC 62056-46 (negotiation)
 */
export function encodeParameters(parameters: HdlcParameters): Uint8Array {
  const octets = new Uint8Array(
    GROUP_START + sizeOf(parameters.maxInformationTransmit) + sizeOf(parameters.maxInformationReceive) + 2 * WINDOW_SIZE,
  );
  octets[0] = FORMAT;
  octets[1] = GROUP;
  octets[2] = octets.length - GROUP_START;
  let at = GROUP_START;
  for (const [id, name] of NAMES) {
    const value = parameters[name];
    const isWindow = WINDOWS.has(name);
    if (!Number.isInteger(value) || value < 1 || value > (isWindow ? MAX_WINDOW : MAX_LENGTH)) throw new RangeError(`No ${name}: ${value}`);
    const size = isWindow ? WINDOW_SIZE : sizeOf(value);
    octets[at] = id;
    octets[at + 1] = size - 2;
    at += size;
    octets[at - 1] = value;
    if (value > 0xff) octets[at - 2] = value >>> 8;
  }
  return octets;
}

/** Encoded size of a length parameter with its id and length. */
const sizeOf = (length: number): number => (length > 0xff ? 4 : 3);

/**
 * Decodes the parameters of SNRM or UA, with defaults for omitted ones. A user-defined group may follow and is ignored. `undefined` for
 * invalid parameters.
 * @spec IEC 62056-46 (negotiation)
 */
export function parametersOf(octets: Uint8Array): HdlcParameters | undefined {
  const parameters = { ...DEFAULT_PARAMETERS };
  if (octets.length === 0) return parameters;
  const end = GROUP_START + (octets[GROUP_START - 1] ?? 0);
  if (octets[0] !== FORMAT || octets[1] !== GROUP || octets.length < end || octets.length < GROUP_START) return undefined;
  for (let at = GROUP_START; at < end;) {
    const name = NAMES.get(octets[at] ?? 0);
    const from = at + 2;
    at = from + (octets[at + 1] ?? 0);
    if (from > end || at > end) return undefined;
    if (name === undefined) continue;
    const value = at - from > MAX_PARAMETER_SIZE ? 0 : octets.subarray(from, at).reduce((sum, octet) => sum * 256 + octet, 0);
    if (value === 0 || (WINDOWS.has(name) && value > MAX_WINDOW)) return undefined;
    parameters[name] = value;
  }
  return parameters;
}

/** Negotiates the parameters: each side stays within the limits of the other. */
export function negotiate(own: HdlcParameters, peer: HdlcParameters): HdlcParameters {
  return {
    maxInformationTransmit: Math.min(own.maxInformationTransmit, peer.maxInformationReceive),
    maxInformationReceive: Math.min(own.maxInformationReceive, peer.maxInformationTransmit),
    windowTransmit: Math.min(own.windowTransmit, peer.windowReceive),
    windowReceive: Math.min(own.windowReceive, peer.windowTransmit),
  };
}
