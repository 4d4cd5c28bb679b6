import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import { MANAGEMENT_CLIENT_SAP, PUBLIC_CLIENT_SAP } from '@hes/dlms/association/server-options.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { asciiOctets } from '@hes/dlms/codec/text.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { assertCredentials, type Mechanism } from '@hes/dlms/security/hls.ts';
import { connectSession, type ClientSession, type SessionOptions } from '../client-session.ts';
import { nodeCipher } from '../node-cipher.ts';
import { MeterError } from './meter-error.ts';

/** Octets, or their hexadecimal digits. */
export type OctetsOrHex = Uint8Array | string;

/** A meter and how to reach it. All but the address has a default. */
export interface ConnectOptions extends Omit<Partial<SessionOptions>, 'clientSap' | 'serverSap'> {
  /** Client SAP; defaults to 16 (public) without secrets, and to 1 (management) with keys or a password. */
  client?: number | undefined;
  /** Server SAP; defaults to 1, the management logical device. */
  server?: number | undefined;
  /** Encryption and authentication key. Services are ciphered, and the mechanism defaults to `hlsGmac`. */
  keys?: { ek: OctetsOrHex; ak: OctetsOrHex } | undefined;
  /** Password of `low`, or the secret of `hls`, `hlsMd5`, `hlsSha1` and `hlsSha256`. A text is taken as ASCII. */
  password?: Uint8Array | string | undefined;
  /** Defaults to `hlsGmac` with keys, `low` with a password, else `none`. */
  mechanism?: Mechanism | undefined;
  /** Our system title, eight octets; by default random, so that no nonce is used twice for one key. */
  systemTitle?: OctetsOrHex | undefined;
  /** The only system title of the meter that is accepted. */
  meterTitle?: OctetsOrHex | undefined;
  /**
   * The next invocation counter; must never return a number twice for one key and system title. By default the counter is read from the
   * meter by the public client, which nothing authenticates: give this function if you give `systemTitle`.
   */
  nextCounter?: (() => number) | undefined;
  /** Where the public client reads the counter; defaults to 0.0.43.1.0.255. */
  counterObject?: string | undefined;
  /** Octets of the largest APDU we accept; defaults to 1024. */
  maxPduSize?: number | undefined;
  /** Anything else of the association: suite, policy, dedicated key, general block transfer, notifications. */
  association?: Partial<ClientOptions> | undefined;
  /** Opens another transport, such as a serial port, once for each association. */
  open?: ((client: number) => Promise<ClientSession>) | undefined;
}

/** SAP of the management logical device, present in every server. */
const MANAGEMENT_DEVICE = 1;
const COUNTER_OBJECT = '0.0.43.1.0.255';
const MAX_PDU_SIZE = 1024;
const TITLE_SIZE = 8;
/** "HES": the first three octets of a system title name its maker. */
const MAKER = [0x48, 0x45, 0x53] as const;

/** How to open an association with one meter. */
export interface MeterPlan {
  subject: string;
  client: number;
  association: ClientOptions;
  /** The counter has to be read from the meter. */
  counterObject: Obis | undefined;
  open(client: number): Promise<ClientSession>;
}

function octetsOf(name: string, value: OctetsOrHex, sizes: readonly number[]): Uint8Array {
  let octets: Uint8Array | undefined;
  try {
    octets = typeof value === 'string' ? fromHex(value) : value;
  } catch (cause) {
    throw new MeterError('USAGE', `${name} is not hexadecimal`, { cause });
  }
  if (sizes.includes(octets.length)) return octets;
  throw new MeterError('USAGE', `${name} has ${octets.length} octets instead of ${sizes.join(' or ')}`);
}

const randomTitle = (): Uint8Array => Uint8Array.of(...MAKER, ...nodeCipher.random(TITLE_SIZE - MAKER.length));

/** The options without undefined values, which `ClientOptions` does not allow. */
export const given = <T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> }; // as: undefined was filtered out

/** Fills in the defaults. Throws `MeterError` with code `USAGE`. */
export function planOf(options: ConnectOptions): MeterPlan {
  const { host, password, server = MANAGEMENT_DEVICE, nextCounter, counterObject = COUNTER_OBJECT, open } = options;
  if (host === undefined && open === undefined) throw new MeterError('USAGE', 'neither host nor open');
  const keys = options.keys && {
    ek: octetsOf('keys.ek', options.keys.ek, [16, 32]),
    ak: octetsOf('keys.ak', options.keys.ak, [16, 32]),
  };
  const hasSecret = keys !== undefined || password !== undefined;
  const { client = hasSecret ? MANAGEMENT_CLIENT_SAP : PUBLIC_CLIENT_SAP } = options;
  const { mechanism = keys !== undefined ? 'hlsGmac' : password === undefined ? 'none' : 'low' } = options;
  const meterTitle = options.meterTitle === undefined ? undefined : octetsOf('meterTitle', options.meterTitle, [TITLE_SIZE]);
  const association: ClientOptions = {
    mechanism,
    ciphered: keys !== undefined,
    systemTitle: options.systemTitle === undefined ? randomTitle() : octetsOf('systemTitle', options.systemTitle, [TITLE_SIZE]),
    cipher: nodeCipher,
    maxPduSize: options.maxPduSize ?? MAX_PDU_SIZE,
    nextCounter: nextCounter ?? (() => 0),
    peer: { counter: -1, ...given({ systemTitle: meterTitle }) },
    ...given({ keys, password: typeof password === 'string' ? asciiOctets(password) : password }),
    ...options.association,
  };
  try {
    assertCredentials(association.mechanism, association);
  } catch (cause) {
    throw new MeterError('USAGE', String(cause), { cause });
  }
  const { gateway, hdlc, port, timeoutMs, udp } = options;
  const session = { host: host ?? '', serverSap: server, gateway, hdlc, port, timeoutMs, udp };
  return {
    subject: host === undefined ? 'meter' : `meter ${host}${port === undefined ? '' : `:${port}`}`,
    client,
    association,
    counterObject:
      keys !== undefined && nextCounter === undefined && options.association?.nextCounter === undefined ? obis(counterObject) : undefined,
    open: open ?? ((clientSap) => connectSession({ ...session, clientSap })),
  };
}
