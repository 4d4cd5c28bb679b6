const COMMA = 0x2c;
const REGISTER_SIZE = 4;
const MAX_ID_SIZE = 32;
const isPrintable = (octet: number): boolean => octet > 0x20 && octet < 0x7f;

/** The push format of the first DSMR meters. */
export interface BareAlarm {
  equipmentId: string;
  /** The alarm register, 32 bits. */
  alarms: number;
}

/**
 * An alarm without an APDU: `<equipment id>,<four octets of the alarm register>`. No APDU begins like it, so try this when an APDU cannot
 * be decoded; `undefined` for other octets. It is neither authenticated nor ciphered.
 */
export function readBareAlarm(octets: Uint8Array): BareAlarm | undefined {
  const comma = octets.length - REGISTER_SIZE - 1;
  if (comma < 1 || comma > MAX_ID_SIZE || octets[comma] !== COMMA || !octets.subarray(0, comma).every(isPrintable)) return undefined;
  const alarms = octets.subarray(comma + 1).reduce((sum, octet) => sum * 256 + octet, 0);
  return { equipmentId: String.fromCharCode(...octets.subarray(0, comma)), alarms };
}
