import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { decodeNotification } from '@hes/dlms/association/notification.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { anyData, octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { isProtectedTag } from '@hes/dlms/security/protection.ts';
import { dataNotification } from '@hes/dlms/xdlms/data-notification.ts';
import { decodedBy } from './decoded.ts';

/** The push with which a device identifies itself after dialling in, and at every heartbeat. See docs/dcu-profile.md. */
export interface Identification {
  /** Logical device name, equal to the serial number. */
  name: string;
  systemTitle: Uint8Array;
  kind: 'hello' | 'heartbeat';
}

const body = structure({ name: octetString, systemTitle: octetString, kind: unsigned });
/** Names are stored, displayed and compared, so only short ones of the characters of serial numbers are accepted. */
export const isName = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text);
const HEARTBEAT = 1;

/** Decodes an identification; undefined when the APDU is something else. */
export function decodeIdentification(apdu: Uint8Array): Identification | undefined {
  const read = decodedBy(() => decode(body, decode(dataNotification, apdu).body));
  if (!read.ok) return undefined;
  const { name, systemTitle, kind } = read.value;
  const text = Buffer.from(name).toString('latin1');
  if (!isName(text)) return undefined;
  return { name: text, systemTitle, kind: kind === HEARTBEAT ? 'heartbeat' : 'hello' };
}

/** What a caller says about its identity. `Admission` has to prove it. */
export interface Claim {
  /** Names, one of which may be its logical device name or its serial number. */
  names: readonly string[];
  systemTitle: Uint8Array | undefined;
  /** The claim is a greeting, whose name is the serial number. Any other message is a push with content. */
  isGreeting: boolean;
}

/** The name under which a caller is recorded: the name that it gave, or its system title. */
export const nameOf = ({ names, systemTitle }: Claim): string =>
  names[0] ??
  Buffer.from(systemTitle ?? [])
    .toString('hex')
    .toUpperCase();

/** Shortest and longest text of a push that may be a name: a serial number, or a logical device name of up to 16 octets. */
const PUSHED_NAME = /^[A-Za-z0-9]{6,20}$/;
const MAX_NAMES = 8;
const TITLE_OCTETS = 8;
const MAX_DEPTH = 3;

/** The claim in the first message of a connection: a greeting, a push list with a name, or the title of a ciphered push; undefined: none. */
export function claimOf(apdu: Uint8Array): Claim | undefined {
  const greeting = decodeIdentification(apdu);
  if (greeting !== undefined) return { names: [greeting.name], systemTitle: greeting.systemTitle, isGreeting: true };
  if (isProtectedTag(apdu[0] ?? 0)) {
    const systemTitle = titleOf(apdu);
    return systemTitle?.length !== TITLE_OCTETS ? undefined : { names: [], systemTitle, isGreeting: false };
  }
  const pushed = decodedBy(() => decode(anyData, decode(dataNotification, apdu).body));
  if (!pushed.ok) return undefined;
  const names = [...new Set(namesIn(pushed.value, 0))].slice(0, MAX_NAMES);
  return names.length === 0 ? undefined : { names, systemTitle: undefined, isGreeting: false };
}

/** The system title of a ciphered notification, which is not deciphered here. */
function titleOf(apdu: Uint8Array): Uint8Array | undefined {
  let title: Uint8Array | undefined;
  try {
    const read = decodedBy(() => decodeNotification(apdu, (found) => void (title = found.slice())));
    return read.ok ? undefined : title;
  } catch (error) {
    // The library refuses the sender, because no keys were given.
    if (error instanceof AssociationError) return title;
    throw error;
  }
}

/** Texts of a push that may be names, in their order. The standard push list begins with the logical device name. */
function namesIn(data: Data, depth: number): string[] {
  if (data.type === 'structure' || data.type === 'array')
    return depth < MAX_DEPTH ? data.value.slice(0, MAX_NAMES).flatMap((one) => namesIn(one, depth + 1)) : [];
  if (data.type !== 'octetString' && data.type !== 'visibleString') return [];
  const text = typeof data.value === 'string' ? data.value : Buffer.from(data.value).toString('latin1');
  return PUSHED_NAME.test(text) ? [text] : [];
}
