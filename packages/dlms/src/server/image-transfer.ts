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
  /** More than the device has room for is refused. */
  maxSize: number;
  /** Whether an image is whole and meant for this device; `working` when it will be told later by `verified`. */
  verify(image: Uint8Array, identification: Uint8Array): boolean | 'working';
  /** Takes the image into use; `working` when it will be told later by `activated`. */
  activate(image: Uint8Array, identification: Uint8Array): boolean | 'working';
}

/** New firmware on its way into a device: its blocks, in any order, and where it stands. */
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

  /** Smaller blocks for clients that have little room; never larger than the device's own, and not while blocks are counted. */
  resize(octets: number): 'readWriteDenied' | undefined {
    if (octets < 1 || octets > this.#options.blockSize || BUSY.has(this.#status)) return 'readWriteDenied';
    this.#blockSize = octets;
    return undefined;
  }

  /** One digit for each block: 1 = it is there. */
  get bitmap(): string {
    return this.#received.map((there) => (there ? '1' : '0')).join('');
  }

  /** The number of blocks once all are there. */
  get firstMissing(): number {
    const missing = this.#received.indexOf(false);
    return missing === -1 ? this.#received.length : missing;
  }

  /** What would be activated; nothing before it is verified. */
  get toActivate(): { size: number; identification: Uint8Array; signature: Uint8Array }[] {
    if (!VERIFIED.has(this.#status) || this.#image.length === 0) return [];
    return [{ size: this.#image.length, identification: this.#identification, signature: new Uint8Array(0) }];
  }

  #step(event: ImageEvent): boolean {
    const next = nextState(IMAGE_TABLE, this.#status, event);
    if (next !== undefined) this.#status = next;
    return next !== undefined;
  }

  /** The power went, and what had arrived was in memory only. */
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

  /** A block of a broadcast, to which nobody answers: taken when this very image was initiated here, in blocks of this size. */
  hear(image: { identification: Uint8Array; size: number; blockSize: number }, blockNumber: number, block: Uint8Array): void {
    const isMine =
      image.size === this.#image.length &&
      image.blockSize === this.#blockSize &&
      image.identification.length === this.#identification.length &&
      image.identification.every((octet, index) => octet === this.#identification[index]);
    if (isMine) this.put({ blockNumber, block });
  }

  /** Answers `temporaryFailure` as long as it works: who asked reads the status then. */
  verify(): MethodOutcome {
    if (this.#status === 'verificationInitiated') return 'temporaryFailure';
    if (!this.enabled || this.firstMissing < this.#received.length || !this.#step('verify')) return 'readWriteDenied';
    const verdict = this.#options.verify(this.#image, this.#identification);
    if (verdict === 'working') return 'temporaryFailure';
    this.verified(verdict);
    return verdict ? 'success' : 'otherReason';
  }

  /** What a long verification came to. */
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

  /** What a long activation came to. */
  activated(runs: boolean): void {
    this.#step(runs ? 'activated' : 'failed');
    // It runs: the copy would only take room.
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
