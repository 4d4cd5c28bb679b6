import { imageTransfer } from '../cosem/classes/image-transfer.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import { serverObject, type DescribedObject, type MethodOutcome, type ObjectOptions } from './server-object.ts';
import { nextState, type StateTable } from './state-table.ts';

export type ImageStatus = AttributeValue<typeof imageTransfer, 'transferStatus'>;
export type ImageEvent = 'initiate' | 'verify' | 'verified' | 'rejected' | 'activate' | 'activated' | 'failed';

const AGAIN = { initiate: 'initiated' } as const;

/** @spec BB 4 (image_transfer_status) */
export const IMAGE_TABLE: StateTable<ImageStatus, ImageEvent> = {
  notInitiated: AGAIN,
  initiated: { ...AGAIN, verify: 'verificationInitiated' },
  verificationInitiated: { verified: 'verificationSuccessful', rejected: 'verificationFailed' },
  verificationSuccessful: { ...AGAIN, activate: 'activationInitiated' },
  verificationFailed: { ...AGAIN, verify: 'verificationInitiated' },
  activationInitiated: { activated: 'activationSuccessful', failed: 'activationFailed' },
  activationSuccessful: AGAIN,
  activationFailed: { ...AGAIN, activate: 'activationInitiated' },
};

export interface ImageOptions {
  /** Octets. */
  blockSize: number;
  /** Images larger than this are refused. */
  maxSize: number;
  /** Whether the image is complete and fits this device; `working` when `verified` will report the result. */
  verify(image: Uint8Array, identification: Uint8Array): boolean | 'working';
  /** Activates the image; `working` when `activated` will report the result. */
  activate(image: Uint8Array, identification: Uint8Array): boolean | 'working';
}

/** State of a firmware transfer: blocks in any order, and the transfer status. */
export class ImageStore {
  readonly #options: ImageOptions;
  #blockSize: number;
  #status: ImageStatus = 'notInitiated';
  #image = new Uint8Array(0);
  #identification = new Uint8Array(0);
  #received: boolean[] = [];
  enabled = false;

  constructor(options: ImageOptions) {
    this.#options = options;
    this.#blockSize = options.blockSize;
  }

  get status(): ImageStatus {
    return this.#status;
  }

  get blockSize(): number {
    return this.#blockSize;
  }

  /** Reduces the block size for clients with small PDUs; never above the device's size, and not during a transfer. */
  resize(octets: number): 'readWriteDenied' | undefined {
    if (octets < 1 || octets > this.#options.blockSize || BUSY.has(this.#status)) return 'readWriteDenied';
    this.#blockSize = octets;
    return undefined;
  }

  /** One digit per block: 1 = received. */
  get bitmap(): string {
    return this.#received.map((there) => (there ? '1' : '0')).join('');
  }

  /** Number of the first missing block; the block count when none is missing. */
  get firstMissing(): number {
    const missing = this.#received.indexOf(false);
    return missing === -1 ? this.#received.length : missing;
  }

  /** Images ready for activation; empty before verification. */
  get toActivate(): { size: number; identification: Uint8Array; signature: Uint8Array }[] {
    if (!VERIFIED.has(this.#status) || this.#image.length === 0) return [];
    return [{ size: this.#image.length, identification: this.#identification, signature: new Uint8Array(0) }];
  }

  #step(event: ImageEvent): boolean {
    const next = nextState(IMAGE_TABLE, this.#status, event);
    if (next !== undefined) this.#status = next;
    return next !== undefined;
  }

  /** Simulates a power failure that loses the received blocks. */
  forget(): void {
    this.#status = 'notInitiated';
    this.#blockSize = this.#options.blockSize;
    this.#image = new Uint8Array(0);
    this.#received = [];
    this.enabled = false;
  }

  initiate({ identification, size }: { identification: Uint8Array; size: number }): MethodOutcome {
    if (!this.enabled || size < 1 || size > this.#options.maxSize) return 'readWriteDenied';
    if (!this.#step('initiate')) return 'temporaryFailure';
    this.#image = new Uint8Array(size);
    this.#identification = Uint8Array.from(identification);
    this.#received = Array.from({ length: Math.ceil(size / this.blockSize) }, () => false);
    return 'success';
  }

  put({ blockNumber, block }: { blockNumber: number; block: Uint8Array }): MethodOutcome {
    if (!this.enabled || this.#status !== 'initiated') return 'readWriteDenied';
    const from = blockNumber * this.blockSize;
    const size = Math.min(this.blockSize, this.#image.length - from);
    if (blockNumber >= this.#received.length || block.length !== size) return 'otherReason';
    this.#image.set(block, from);
    this.#received[blockNumber] = true;
    return 'success';
  }

  /** Takes a broadcast block, which gets no response, if this image was initiated with this block size. */
  hear(image: { identification: Uint8Array; size: number; blockSize: number }, blockNumber: number, block: Uint8Array): void {
    const isMine =
      image.size === this.#image.length &&
      image.blockSize === this.#blockSize &&
      image.identification.length === this.#identification.length &&
      image.identification.every((octet, index) => octet === this.#identification[index]);
    if (isMine) this.put({ blockNumber, block });
  }

  /** Returns `temporaryFailure` while in progress; clients poll the status. */
  verify(): MethodOutcome {
    if (this.#status === 'verificationInitiated') return 'temporaryFailure';
    if (!this.enabled || this.firstMissing < this.#received.length || !this.#step('verify')) return 'readWriteDenied';
    const verdict = this.#options.verify(this.#image, this.#identification);
    if (verdict === 'working') return 'temporaryFailure';
    this.verified(verdict);
    return verdict ? 'success' : 'otherReason';
  }

  /** Reports the result of a long verification. */
  verified(isGood: boolean): void {
    this.#step(isGood ? 'verified' : 'rejected');
  }

  activate(): MethodOutcome {
    if (this.#status === 'activationInitiated') return 'temporaryFailure';
    if (!this.enabled || !this.#step('activate')) return 'readWriteDenied';
    const verdict = this.#options.activate(this.#image, this.#identification);
    if (verdict === 'working') return 'temporaryFailure';
    this.activated(verdict);
    return verdict ? 'success' : 'otherReason';
  }

  /** Reports the result of a long activation. */
  activated(runs: boolean): void {
    this.#step(runs ? 'activated' : 'failed');
    // After activation the copy is no longer needed.
    if (runs) this.#image = new Uint8Array(0);
  }
}

const BUSY: ReadonlySet<ImageStatus> = new Set(['initiated', 'verificationInitiated', 'activationInitiated']);
const VERIFIED: ReadonlySet<ImageStatus> = new Set([
  'verificationSuccessful',
  'activationInitiated',
  'activationSuccessful',
  'activationFailed',
]);

export const imageTransferObject = (store: ImageStore, options: ObjectOptions): DescribedObject =>
  serverObject(
    imageTransfer,
    {
      read: {
        blockSize: () => store.blockSize,
        transferredBlocksStatus: () => store.bitmap,
        firstNotTransferredBlockNumber: () => store.firstMissing,
        transferEnabled: () => store.enabled,
        transferStatus: () => store.status,
        toActivateInfo: () => store.toActivate,
      },
      write: { blockSize: (octets) => store.resize(octets), transferEnabled: (enabled) => void (store.enabled = enabled) },
      invoke: {
        initiate: (argument) => store.initiate(argument),
        blockTransfer: (argument) => store.put(argument),
        verify: () => store.verify(),
        activate: () => store.activate(),
      },
    },
    options,
  );
