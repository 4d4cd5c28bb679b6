import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { AssociationError } from '../../src/association/association-error.ts';
import { ClientAssociation } from '../../src/association/client.ts';
import type { ClientOptions } from '../../src/association/client-options.ts';
import {
  objectKey,
  publicClient,
  type ClientRule,
  type LogicalDeviceOptions,
  type ServerObject,
} from '../../src/association/server-options.ts';
import { LogicalDevice } from '../../src/association/server.ts';
import { assignShortNames, type ShortNamedObject } from '../../src/catalogue/short-names.ts';
import { encode } from '../../src/codec/codec.ts';
import { fromHex, toHex } from '../../src/codec/hex.ts';
import { dataCodec, logicalName } from '../../src/cosem/data.ts';
import type { Data } from '../../src/cosem/data-value.ts';
import { obis } from '../../src/cosem/obis.ts';
import { unwrapKeys } from '../../src/security/key-transfer.ts';
import { associationSnObject } from '../../src/server/association-sn-object.ts';

export const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
export const CLIENT_TITLE = fromHex('4845530000000001');
export const METER_TITLE = fromHex('4D4D4D0000BC614E');

export const REGISTER = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
export const CLOCK = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2 };
export const ECHO = { classId: 1, instance: obis('0.0.96.1.0.255'), attributeId: 2 };
export const LONG = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };

const LOGICAL_NAME = 1;

export const SECURITY_SETUP = { classId: 64, instance: obis('0.0.43.0.0.255') };
const KEK = Uint8Array.from({ length: 16 }, (_, i) => 0x33 + i);

const PASSWORD = fromHex('3132333435363738');

const RULES = new Map<number, ClientRule>([
  [1, { mechanism: 'hlsGmac', ciphered: true }],
  [2, { mechanism: 'none', ciphered: false }],
  [3, { mechanism: 'low', ciphered: false, password: PASSWORD }],
  [4, { mechanism: 'hlsGmac', ciphered: false }],
  [16, publicClient([CLOCK.instance])],
]);

export interface Frame {
  direction: 'down' | 'up';
  apdu: Uint8Array;
  plain: Uint8Array | undefined;
}

/** Clients with short names compare the logical name of an object before they use it. */
function serveLogicalName(object: ServerObject): void {
  const { read, instance } = object;
  object.read = (id, ...more) => (id === LOGICAL_NAME ? encode(logicalName, instance) : read(id, ...more));
}

/** A meter and its clients, with the state that both keep about each other. */
export class AssociationWorld {
  readonly device: LogicalDevice;
  readonly longData: Uint8Array;
  readonly frames: Frame[] = [];
  readonly usedByClient: number[] = [];
  readonly usedByServer: number[] = [];
  readonly acceptedByServer = new Map<string, number>();
  acceptedByClient = -1;
  nextClientCounter = 100;
  clientSap = 1;
  /** Base names of the objects of a meter with short names. */
  shortNames: ShortNamedObject[] = [];
  #value: Data = { type: 'doubleLongUnsigned', value: 5009 };

  readonly failures: { side: 'client' | 'server'; code: string }[] = [];

  constructor({
    rule,
    shortNames = false,
    more = [],
    ...device
  }: Partial<Pick<LogicalDeviceOptions, 'keys' | 'suite' | 'privateKey' | 'generalBlockTransfer' | 'generalCiphering'>> & {
    rule?: ClientRule;
    /** All clients reference by short names. */
    shortNames?: boolean;
    more?: readonly ServerObject[];
  } = {}) {
    const rows = Array.from({ length: 300 }, (_, value): Data => ({ type: 'doubleLongUnsigned', value }));
    this.longData = encode(dataCodec, { type: 'array', value: rows });
    const objects = [this.#register(), this.#clock(), this.#profile(), this.#echo(), this.#setup(), ...more];
    const rules = rule === undefined ? RULES : new Map([...RULES, [1, rule]]);
    if (shortNames) {
      for (const object of objects) serveLogicalName(object);
      objects.push(associationSnObject(() => this.shortNames));
      this.shortNames = assignShortNames(objects);
    }
    this.device = new LogicalDevice({
      objects: new Map(objects.map((object) => [objectKey(object.classId, object.instance), object])),
      systemTitle: METER_TITLE,
      keys: KEYS,
      cipher: nodeCipher,
      rules: shortNames ? new Map([...rules].map(([sap, own]) => [sap, { ...own, shortNames }])) : rules,
      shortNames: () => this.shortNames,
      onSecurityFailure: (_sap, code) => void this.failures.push({ side: 'server', code }),
      ...device,
      maxPduSize: 1024,
      counters: {
        next: () => this.usedByServer.push(this.usedByServer.length) - 1,
        last: (title) => this.acceptedByServer.get(toHex(title)) ?? -1,
        accept: (title, counter) => void this.acceptedByServer.set(toHex(title), counter),
        restart: () => {
          this.usedByServer.length = 0;
          this.acceptedByServer.clear();
        },
      },
    });
  }

  #register(): ServerObject {
    return {
      ...REGISTER,
      version: 0,
      read: (attributeId) => (attributeId === 2 ? encode(dataCodec, this.#value) : 'objectUndefined'),
      write: (_attributeId, data) => {
        this.#value = data;
        return 'success';
      },
      invoke: () => ({ result: 'success' }),
    };
  }

  /** An object that stores writes and whose method returns its argument. */
  #echo(): ServerObject {
    let kept: Data = { type: 'null' };
    return {
      ...ECHO,
      version: 0,
      read: () => encode(dataCodec, kept),
      write: (_attributeId, data) => {
        kept = data;
        return 'success';
      },
      invoke: (_methodId, argument) => ({
        result: 'success',
        ...(argument === undefined ? {} : { data: encode(dataCodec, argument) }),
      }),
    };
  }

  #setup(): ServerObject {
    return {
      ...SECURITY_SETUP,
      version: 1,
      read: () => 'readWriteDenied',
      invoke: (_methodId, argument) => {
        const keys = unwrapKeys(nodeCipher, KEK, encode(dataCodec, argument ?? { type: 'null' }));
        if (keys === undefined) return { result: 'otherReason' };
        this.device.changeKeys(keys);
        return { result: 'success' };
      },
    };
  }

  #clock(): ServerObject {
    const moment = encode(dataCodec, { type: 'octetString', value: fromHex('07EA0B1506021517FF800000') });
    return { ...CLOCK, version: 0, read: () => moment };
  }

  #profile(): ServerObject {
    return {
      ...LONG,
      version: 1,
      read: (_attributeId, selection) => (selection === undefined ? this.longData : encode(dataCodec, selection.parameters)),
    };
  }

  /** A client on the SAP whose rule matches its options. */
  client({ sap = 1, ...options }: Partial<ClientOptions> & { sap?: number } = {}): ClientAssociation {
    this.clientSap = sap;
    return new ClientAssociation(this.optionsOf(options));
  }

  optionsOf(options: Partial<ClientOptions> = {}): ClientOptions {
    return {
      mechanism: 'hlsGmac',
      ciphered: true,
      systemTitle: CLIENT_TITLE,
      password: PASSWORD,
      keys: KEYS,
      cipher: nodeCipher,
      maxPduSize: 1024,
      nextCounter: () => {
        this.usedByClient.push(this.nextClientCounter);
        return this.nextClientCounter++;
      },
      peer: { counter: this.acceptedByClient },
      onPeerCounter: (counter) => (this.acceptedByClient = counter),
      onSecurityFailure: (code) => void this.failures.push({ side: 'client', code }),
      onFrame: (direction, apdu, plain) => void this.frames.push({ direction, apdu, plain }),
      ...options,
    };
  }

  /** Like `talk`, but returns all APDUs of the meter. */
  readonly talkAll = (apdu: Uint8Array): Uint8Array[] => this.device.receiveAll(this.clientSap, apdu);

  /** The response of the meter to the current client. */
  readonly talk = (apdu: Uint8Array): Uint8Array | undefined => this.device.receive(this.clientSap, apdu);
}

/** The error of an attempt. */
export function failureOf(attempt: () => unknown): AssociationError | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof AssociationError) return error;
    throw error;
  }
  return undefined;
}
