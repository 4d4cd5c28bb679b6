import type { ServerObject } from '../association/server-options.ts';
import type { Data } from '../cosem/data-value.ts';
import { obis } from '../cosem/obis.ts';
import type { DescribedObject } from '../server/server-object.ts';
import { array, doubleLongUnsigned, enumValue, octets, plainObject, structure } from './plain-object.ts';

const BLOCK_SIZE = 100;
/** Size limit: real meters have no memory for larger images. */
const MAX_IMAGE_SIZE = 1024 * 1024;
const ENABLED = 5;
const STATUS = { notInitiated: 0, initiated: 1, verified: 3, verificationFailed: 4, activated: 6 } as const;

type Invoked = ReturnType<NonNullable<ServerObject['invoke']>>;
const OK: Invoked = { result: 'success' };
const NO: Invoked = { result: 'otherReason' };

/** Receives an image in blocks and accepts any content. */
export class DemoImage {
  readonly object: DescribedObject;
  #enabled = true;
  #status: number = STATUS.notInitiated;
  #identifier: Uint8Array = new Uint8Array(0);
  #image: Uint8Array = new Uint8Array(0);
  #received: boolean[] = [];

  constructor() {
    this.object = plainObject(
      [18, 0, obis('0.0.44.0.0.255')],
      {
        2: () => doubleLongUnsigned(BLOCK_SIZE),
        3: () => ({ type: 'bitString', value: this.#received.map(Number).join('') }),
        4: () => doubleLongUnsigned(this.#firstMissing()),
        5: () => ({ type: 'boolean', value: this.#enabled }),
        6: () => enumValue(this.#status),
        7: () => this.#toActivate(),
      },
      {
        writable: [ENABLED],
        methods: [1, 2, 3, 4],
        write: (_attributeId, data) => {
          if (data.type !== 'boolean') return 'typeUnmatched';
          this.#enabled = data.value;
          return 'success';
        },
        invoke: (methodId, argument) => this.#invoke(methodId, argument),
      },
    );
  }

  #firstMissing(): number {
    const missing = this.#received.indexOf(false);
    return missing < 0 ? this.#received.length : missing;
  }

  #toActivate(): Data {
    if (this.#status < STATUS.verified) return array([]);
    return array([structure(doubleLongUnsigned(this.#image.length), octets(this.#identifier), octets(new Uint8Array(0)))]);
  }

  #invoke(methodId: number, argument: Data | undefined): Invoked {
    if (!this.#enabled) return { result: 'readWriteDenied' };
    if (methodId === 1) return this.#initiate(argument);
    if (methodId === 2) return this.#take(argument);
    if (methodId === 3) return this.#step(this.#firstMissing() === this.#received.length, STATUS.verified, STATUS.verificationFailed);
    return this.#step(this.#status === STATUS.verified, STATUS.activated, this.#status);
  }

  #step(possible: boolean, then: number, otherwise: number): Invoked {
    this.#status = possible ? then : otherwise;
    return possible ? OK : NO;
  }

  #initiate(argument: Data | undefined): Invoked {
    if (argument?.type !== 'structure') return { result: 'typeUnmatched' };
    const [identifier, size] = argument.value;
    if (identifier?.type !== 'octetString' || size?.type !== 'doubleLongUnsigned') return { result: 'typeUnmatched' };
    if (size.value > MAX_IMAGE_SIZE) return NO;
    this.#identifier = Uint8Array.from(identifier.value);
    this.#image = new Uint8Array(size.value);
    this.#received = Array.from({ length: Math.ceil(size.value / BLOCK_SIZE) }, () => false);
    this.#status = STATUS.initiated;
    return OK;
  }

  #take(argument: Data | undefined): Invoked {
    if (argument?.type !== 'structure') return { result: 'typeUnmatched' };
    const [number, block] = argument.value;
    if (number?.type !== 'doubleLongUnsigned' || block?.type !== 'octetString') return { result: 'typeUnmatched' };
    const at = number.value * BLOCK_SIZE;
    const expected = Math.min(BLOCK_SIZE, this.#image.length - at);
    if (this.#status !== STATUS.initiated || expected <= 0 || block.value.length !== expected) return NO;
    this.#image.set(block.value, at);
    this.#received[number.value] = true;
    return OK;
  }
}
