import { decode } from '../codec/codec.ts';
import { confirmedServiceError } from '../xdlms/confirmed-service-error.ts';
import { exceptionResponse } from '../xdlms/exception-response.ts';
import { isProtectedTag } from '../security/protection.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import type { Invoke } from '../xdlms/invoke.ts';
import { AssociationError } from './association-error.ts';
import { isBlock } from './block-stream.ts';
import { BlockTransfer } from './block-transfer.ts';
import { sendWindow, transferBlocks, type ClientBlockRules } from './client-blocks.ts';
import { WAIT, type Exchange } from './exchange.ts';
import type { SecureChannel } from './secure-channel.ts';

/** Responses without invoke id, of services with short names. */
const UNNUMBERED: ReadonlySet<number> = new Set([APDU_TAGS.readResponse, APDU_TAGS.writeResponse]);
/** Responses whose third octet is the invoke id. */
const ANSWERS: ReadonlySet<number> = new Set([APDU_TAGS.getResponse, APDU_TAGS.setResponse, APDU_TAGS.actionResponse]);
const NOTIFICATIONS: ReadonlySet<number> = new Set([
  APDU_TAGS.dataNotification,
  APDU_TAGS.eventNotification,
  APDU_TAGS.informationReportRequest,
]);
/** Requests that may be sent twice. A read changes nothing; a repeated SET or ACTION could be executed twice. */
const RETRANSMITTABLE: ReadonlySet<number> = new Set([APDU_TAGS.getRequest]);
const INVOKE_OFFSET = 2;
const INVOKE_MASK = 0x0f;
/** Placeholder in a request; `requestService` sets the invoke id. */
export const OPEN_INVOKE: Invoke = { id: 0, confirmed: true, highPriority: true };
/** How many invoke ids back a response counts as stale instead of wrong. */
const STALE_WINDOW = 8;
/** Maximum APDUs skipped while awaiting a response. */
const MAX_SKIPPED = 16;
/** Maximum retransmissions of one request after a timeout. */
const MAX_RETRANSMISSIONS = 8;

export interface ClientDialogueOptions {
  /** Whether services are protected. */
  ciphered: boolean;
  onFrame?(direction: 'down' | 'up', apdu: Uint8Array, plain: Uint8Array | undefined): void;
  onNotification?(apdu: Uint8Array): void;
}

/** The response tag of a service, and its decoder. */
export interface Service<T> {
  tag: number;
  read(apdu: Uint8Array): T;
}

/** Protects requests, verifies and deciphers responses, and pairs responses with requests for one client association. */
export class ClientDialogue {
  /** Present when the association has keys. */
  readonly channel: SecureChannel | undefined;
  /** System title of the server: from its AARE, or pinned. */
  serverTitle: Uint8Array | undefined;
  /** Present once general block transfer is negotiated. */
  blocks: ClientBlockRules | undefined;
  readonly #options: ClientDialogueOptions;
  #invokeId = 0;
  /** Requests retransmitted after a timeout. */
  retransmissions = 0;

  constructor(channel: SecureChannel | undefined, options: ClientDialogueOptions) {
    this.channel = channel;
    this.#options = options;
  }

  get #protector(): SecureChannel | undefined {
    return this.#options.ciphered ? this.channel : undefined;
  }

  /** Begins with another invoke id. */
  skipInvokeIds(count: number): void {
    this.#invokeId = (this.#invokeId + count) & INVOKE_MASK;
  }

  /**
   * Requests a service and awaits its response. `request` is encoded with `OPEN_INVOKE`; its invoke id is set here. `sameInvoke` keeps the
   * id, for the next block of the same request.
   */
  *requestService<T>(service: Service<T>, request: Uint8Array, sameInvoke = false): Exchange<T> {
    if (!sameInvoke) this.#invokeId = (this.#invokeId + 1) & INVOKE_MASK;
    request[INVOKE_OFFSET] = ((request[INVOKE_OFFSET] ?? 0) & ~INVOKE_MASK) | this.#invokeId;
    return this.#read(service, yield* this.#roundTrip(request));
  }

  /** Requests a service without invoke id. A late response would be taken for that of the next request, so none may be abandoned. */
  *requestUnnumbered<T>(service: Service<T>, request: Uint8Array): Exchange<T> {
    return this.#read(service, yield* this.#roundTrip(request));
  }

  /** Awaits another response to the previous request. */
  *awaitNextResponse<T>(service: Service<T>): Exchange<T> {
    return this.#read(service, yield* this.#awaitResponse(WAIT));
  }

  #read<T>(service: Service<T>, answer: Uint8Array): T {
    if (answer[0] === service.tag) return service.read(answer);
    throw new AssociationError('UNEXPECTED_ANSWER', `an APDU with tag ${answer[0]} instead of ${service.tag}`);
  }

  /**
   * Protects a request that has no response. It takes the previous invoke id, so that the response of a peer that sends one nevertheless
   * counts as stale, and a request in flight is not disturbed.
   */
  protectUnconfirmed(request: Uint8Array): Uint8Array {
    // A write by short name has no invoke id.
    if (request[0] !== APDU_TAGS.unconfirmedWriteRequest)
      request[INVOKE_OFFSET] = ((request[INVOKE_OFFSET] ?? 0) & ~INVOKE_MASK) | ((this.#invokeId - 1) & INVOKE_MASK);
    const apdu = this.#protector?.protect(request) ?? request;
    this.#options.onFrame?.('down', apdu, apdu === request ? undefined : request);
    return apdu;
  }

  /** Sends an APDU with a long invoke id, which the caller checks, and awaits its response. */
  *sendRequest(plain: Uint8Array): Exchange<Uint8Array> {
    return yield* this.#roundTrip(plain);
  }

  /**
   * Retransmits a request after a timeout with the same invoke id but a new counter, because the meter may have received the first. The
   * first response counts; a later one is stale.
   */
  *#roundTrip(plain: Uint8Array): Exchange<Uint8Array> {
    for (let asked = 0; asked <= MAX_RETRANSMISSIONS; asked++) {
      const apdu = this.#protector?.protect(plain) ?? plain;
      this.#options.onFrame?.('down', apdu, apdu === plain ? undefined : plain);
      const answer = yield* this.blocks === undefined ? this.#awaitResponse(apdu) : this.#exchangeBlocks(apdu, this.blocks);
      if (answer.length > 0) return answer;
      if (!RETRANSMITTABLE.has(plain[0] ?? 0)) throw new AssociationError('UNEXPECTED_ANSWER', 'no response; may not be repeated');
      this.retransmissions++;
    }
    throw new AssociationError('UNEXPECTED_ANSWER', `no response after ${MAX_RETRANSMISSIONS} retransmissions`);
  }

  /** A round trip with general block transfer; a long request is split into blocks. */
  *#exchangeBlocks(apdu: Uint8Array, blocks: ClientBlockRules): Exchange<Uint8Array> {
    const transfer = new BlockTransfer(blocks);
    const isLong = apdu.length > blocks.maxPduSize;
    if (isLong) transfer.send(apdu);
    return yield* this.#awaitResponse(isLong ? sendWindow(transfer, blocks) : apdu, transfer);
  }

  /** Receives one APDU, reassembled from blocks if necessary; the whole APDU or each block may be protected. */
  *#receiveApdu(blocks: ClientBlockRules, transfer: BlockTransfer, next: Uint8Array): Exchange<Uint8Array | undefined> {
    const first = yield next;
    // On a timeout the lost APDU may have been a block of the request or the first block of the response.
    const inBlocks = first.length === 0 || isBlock(first);
    const whole = inBlocks ? yield* transferBlocks(first, transfer, blocks) : first;
    const plain = this.#accept(whole);
    if (plain === undefined || !isBlock(plain)) return plain;
    const carrier = {
      protect: (block: Uint8Array) => this.#protector?.protect(block) ?? block,
      unprotect: (apdu: Uint8Array) => this.#accept(apdu) ?? WAIT,
    };
    return yield* transferBlocks(plain, transfer, blocks, carrier);
  }

  *#awaitResponse(apdu: Uint8Array, transfer = this.blocks && new BlockTransfer(this.blocks)): Exchange<Uint8Array> {
    const { blocks } = this;
    let current = transfer;
    let next = apdu;
    for (let skipped = 0; skipped <= MAX_SKIPPED; skipped++) {
      const answer =
        blocks === undefined || current === undefined
          ? this.#acceptUnlessEmpty(yield next)
          : yield* this.#receiveApdu(blocks, current, next);
      if (answer !== undefined && !this.#isStale(answer)) return answer;
      // A skipped APDU had separate block numbers. A request with unsent blocks keeps its numbers.
      if (blocks !== undefined && current?.isSending !== true) current = new BlockTransfer(blocks);
      next = WAIT;
    }
    throw new AssociationError('UNEXPECTED_ANSWER', 'only stale responses');
  }

  /** Passes an empty APDU (timeout) through; it carries nothing to verify. */
  #acceptUnlessEmpty(apdu: Uint8Array): Uint8Array | undefined {
    return apdu.length === 0 ? apdu : this.#accept(apdu);
  }

  /** Verifies and deciphers an APDU; undefined when it is not a response. */
  #accept(apdu: Uint8Array): Uint8Array | undefined {
    const protector = this.#protector;
    const isProtected = isProtectedTag(apdu[0] ?? 0);
    let plain: Uint8Array | undefined;
    try {
      if (protector !== undefined && isProtected) plain = protector.unprotectResponse(apdu);
    } catch (error) {
      // After a retransmission two responses may arrive out of order; the one with the lower counter is ignored.
      if (this.retransmissions > 0 && error instanceof AssociationError && error.code === 'COUNTER_REPLAY') return undefined;
      throw error;
    } finally {
      this.#options.onFrame?.('up', apdu, plain);
    }
    if (plain === undefined && isProtected) throw new AssociationError('UNEXPECTED_ANSWER', 'protected without a ciphered association');
    throwIfErrorApdu(plain ?? apdu);
    if (NOTIFICATIONS.has((plain ?? apdu)[0] ?? 0)) {
      // Unprotected notifications are not authenticated; the driver may use them as hints before they reach this class.
      if (plain !== undefined || protector === undefined) this.#options.onNotification?.(plain ?? apdu);
      return undefined;
    }
    if (plain === undefined && protector !== undefined)
      throw new AssociationError('DECRYPT_FAILED', 'an unprotected response in a ciphered association');
    return plain ?? apdu;
  }

  /** A late response to an abandoned request. Any other unexpected invoke id is an error. */
  #isStale(answer: Uint8Array): boolean {
    const octet = answer[INVOKE_OFFSET];
    if (octet === undefined || !ANSWERS.has(answer[0] ?? 0)) return false;
    const age = (this.#invokeId - octet) & INVOKE_MASK;
    if (age > STALE_WINDOW)
      throw new AssociationError('UNEXPECTED_ANSWER', `invoke id ${octet & INVOKE_MASK} instead of ${this.#invokeId}`);
    return age > 0;
  }

  /** Sends an ACSE APDU and awaits its response; skips late APDUs of an earlier association with the same peer. */
  *exchangeAcse(apdu: Uint8Array, answerTag: number): Exchange<Uint8Array> {
    this.#options.onFrame?.('down', apdu, undefined);
    let next = apdu;
    for (let skipped = 0; skipped <= MAX_SKIPPED; skipped++) {
      const answer = yield next;
      this.#options.onFrame?.('up', answer, undefined);
      const tag = answer[0] ?? 0;
      if (tag === answerTag) return answer;
      throwIfErrorApdu(answer);
      const isLate = isProtectedTag(tag) || ANSWERS.has(tag) || UNNUMBERED.has(tag) || tag === APDU_TAGS.rlre;
      if (!isLate && !NOTIFICATIONS.has(tag))
        throw new AssociationError('UNEXPECTED_ANSWER', `an APDU with tag ${tag} instead of ${answerTag}`);
      next = WAIT;
    }
    throw new AssociationError('UNEXPECTED_ANSWER', 'only stale responses');
  }
}

/** Throws `EXCEPTION` when the APDU is an EXCEPTION-RESPONSE or ConfirmedServiceError, whether or not it was protected. */
export function throwIfErrorApdu(apdu: Uint8Array): void {
  if (apdu[0] === APDU_TAGS.exceptionResponse) {
    const exception = decode(exceptionResponse, apdu);
    throw new AssociationError('EXCEPTION', `${exception.stateError}, ${exception.serviceError}`, { exception });
  }
  if (apdu[0] === APDU_TAGS.confirmedServiceError) {
    const { service, errorClass, value } = decode(confirmedServiceError, apdu);
    throw new AssociationError('EXCEPTION', `${service}, ${errorClass} ${value}`);
  }
}
