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

/** Answers of services: those whose third octet is the invoke id. */
const ANSWERS: ReadonlySet<number> = new Set([APDU_TAGS.getResponse, APDU_TAGS.setResponse, APDU_TAGS.actionResponse]);
const NOTIFICATIONS: ReadonlySet<number> = new Set([APDU_TAGS.dataNotification, APDU_TAGS.eventNotification]);
/** What may be asked twice: reading changes nothing, whereas an order might be carried out twice. */
const RETRANSMITTABLE: ReadonlySet<number> = new Set([APDU_TAGS.getRequest]);
const INVOKE_OFFSET = 2;
const INVOKE_MASK = 0x0f;
/** Of a request that is yet to be asked. */
export const OPEN_INVOKE: Invoke = { id: 0, confirmed: true, highPriority: true };
/** How far back an invoke id may lie to be one of ours that was given up. */
const STALE_WINDOW = 8;
/** APDUs that may come before the answer; a peer that sends more of them is not answering. */
const MAX_SKIPPED = 16;
/** A question that was asked so often, with silence or only other answers after it, has no answer. */
const MAX_RETRANSMISSIONS = 8;

export interface ClientDialogueOptions {
  /** Whether services are protected. */
  ciphered: boolean;
  onFrame?(direction: 'down' | 'up', apdu: Uint8Array, plain: Uint8Array | undefined): void;
  onNotification?(apdu: Uint8Array): void;
}

/** How an answer is read, and by what it is known. */
export interface Service<T> {
  tag: number;
  read(apdu: Uint8Array): T;
}

/** The client's side of the wire: protects what goes out, proves what comes in, and pairs answers with requests. */
export class ClientDialogue {
  /** Present whenever there are keys. */
  readonly channel: SecureChannel | undefined;
  /** What the server called itself, or is pinned to. */
  serverTitle: Uint8Array | undefined;
  /** Set once general block transfer was agreed on. */
  blocks: ClientBlockRules | undefined;
  readonly #options: ClientDialogueOptions;
  #invokeId = 0;
  /** Questions that were asked once more, because nothing came in time. */
  retransmissions = 0;

  constructor(channel: SecureChannel | undefined, options: ClientDialogueOptions) {
    this.channel = channel;
    this.#options = options;
  }

  get #protector(): SecureChannel | undefined {
    return this.#options.ciphered ? this.channel : undefined;
  }

  /**
   * Asks for a service and waits for its answer. The request was encoded with `OPEN_INVOKE` and gets its id here; `sameInvoke`
   * goes on with the request before: its next block.
   */
  *requestService<T>(service: Service<T>, request: Uint8Array, sameInvoke = false): Exchange<T> {
    if (!sameInvoke) this.#invokeId = (this.#invokeId + 1) & INVOKE_MASK;
    request[INVOKE_OFFSET] = ((request[INVOKE_OFFSET] ?? 0) & ~INVOKE_MASK) | this.#invokeId;
    return this.#read(service, yield* this.#roundTrip(request));
  }

  /** Waits for another answer to the request before. */
  *awaitNextResponse<T>(service: Service<T>): Exchange<T> {
    return this.#read(service, yield* this.#awaitResponse(WAIT));
  }

  #read<T>(service: Service<T>, answer: Uint8Array): T {
    if (answer[0] === service.tag) return service.read(answer);
    throw new AssociationError('UNEXPECTED_ANSWER', `an APDU with tag ${answer[0]} instead of ${service.tag}`);
  }

  /** Sends an APDU that carries a long invoke id, which its caller checks, and waits for what answers it. */
  *sendRequest(plain: Uint8Array): Exchange<Uint8Array> {
    return yield* this.#roundTrip(plain);
  }

  /**
   * A question that its driver hears nothing of is asked again under the same invoke id, sealed anew: the meter may have
   * heard the first, and takes no counter twice. Whichever answer comes first is taken; one that comes later is stale.
   */
  *#roundTrip(plain: Uint8Array): Exchange<Uint8Array> {
    for (let asked = 0; asked <= MAX_RETRANSMISSIONS; asked++) {
      const apdu = this.#protector?.protect(plain) ?? plain;
      this.#options.onFrame?.('down', apdu, apdu === plain ? undefined : plain);
      const answer = yield* this.blocks === undefined ? this.#awaitResponse(apdu) : this.#exchangeBlocks(apdu, this.blocks);
      if (answer.length > 0) return answer;
      if (!RETRANSMITTABLE.has(plain[0] ?? 0)) throw new AssociationError('UNEXPECTED_ANSWER', 'nothing, and what may not be sent twice');
      this.retransmissions++;
    }
    throw new AssociationError('UNEXPECTED_ANSWER', 'only answers to earlier requests, however often it is asked');
  }

  /** A round trip with a peer that may answer in blocks; a long request goes in them. */
  *#exchangeBlocks(apdu: Uint8Array, blocks: ClientBlockRules): Exchange<Uint8Array> {
    const transfer = new BlockTransfer(blocks);
    const isLong = apdu.length > blocks.maxPduSize;
    if (isLong) transfer.send(apdu);
    return yield* this.#awaitResponse(isLong ? sendWindow(transfer, blocks) : apdu, transfer);
  }

  /** The next whole APDU of a peer that may send it in blocks: they are put together, and each may be protected by itself. */
  *#receiveApdu(blocks: ClientBlockRules, transfer: BlockTransfer, next: Uint8Array): Exchange<Uint8Array | undefined> {
    const first = yield next;
    // Nothing came in time: what was lost may have been a block of the request, or the first block of the answer.
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
      // What was skipped had block numbers of its own; a request of which blocks are still to be sent keeps its numbers.
      if (blocks !== undefined && current?.isSending !== true) current = new BlockTransfer(blocks);
      next = WAIT;
    }
    throw new AssociationError('UNEXPECTED_ANSWER', 'only answers to earlier requests');
  }

  /** Nothing is nothing, and proves nothing. */
  #acceptUnlessEmpty(apdu: Uint8Array): Uint8Array | undefined {
    return apdu.length === 0 ? apdu : this.#accept(apdu);
  }

  /** The proved plain APDU; undefined when it is none of the answers. */
  #accept(apdu: Uint8Array): Uint8Array | undefined {
    const protector = this.#protector;
    const isProtected = isProtectedTag(apdu[0] ?? 0);
    let plain: Uint8Array | undefined;
    try {
      if (protector !== undefined && isProtected) plain = protector.unprotectResponse(apdu);
    } catch (error) {
      // Of two answers to one question the first was overtaken by the second. It is not used, whoever sent it.
      if (this.retransmissions > 0 && error instanceof AssociationError && error.code === 'COUNTER_REPLAY') return undefined;
      throw error;
    } finally {
      this.#options.onFrame?.('up', apdu, plain);
    }
    if (plain === undefined && isProtected) throw new AssociationError('UNEXPECTED_ANSWER', 'protected, though nothing was agreed');
    throwIfErrorApdu(plain ?? apdu);
    if (NOTIFICATIONS.has((plain ?? apdu)[0] ?? 0)) {
      // Unprotected ones prove nothing; the driver may take them as hints before they come here.
      if (plain !== undefined || protector === undefined) this.#options.onNotification?.(plain ?? apdu);
      return undefined;
    }
    if (plain === undefined && protector !== undefined)
      throw new AssociationError('DECRYPT_FAILED', 'an unprotected answer in a ciphered association');
    return plain ?? apdu;
  }

  /** A late answer to a request that was given up. Any other strange invoke id is an error. */
  #isStale(answer: Uint8Array): boolean {
    const octet = answer[INVOKE_OFFSET];
    if (octet === undefined || !ANSWERS.has(answer[0] ?? 0)) return false;
    const age = (this.#invokeId - octet) & INVOKE_MASK;
    if (age > STALE_WINDOW)
      throw new AssociationError('UNEXPECTED_ANSWER', `invoke id ${octet & INVOKE_MASK} instead of ${this.#invokeId}`);
    return age > 0;
  }

  /** Sends an APDU of ACSE and waits for its answer; what else comes belongs to an earlier association of the same peer. */
  *exchangeAcse(apdu: Uint8Array, answerTag: number): Exchange<Uint8Array> {
    this.#options.onFrame?.('down', apdu, undefined);
    let next = apdu;
    for (let skipped = 0; skipped <= MAX_SKIPPED; skipped++) {
      const answer = yield next;
      this.#options.onFrame?.('up', answer, undefined);
      const tag = answer[0] ?? 0;
      if (tag === answerTag) return answer;
      throwIfErrorApdu(answer);
      if (!isProtectedTag(tag) && !ANSWERS.has(tag) && !NOTIFICATIONS.has(tag) && tag !== APDU_TAGS.rlre)
        throw new AssociationError('UNEXPECTED_ANSWER', `an APDU with tag ${tag} instead of ${answerTag}`);
      next = WAIT;
    }
    throw new AssociationError('UNEXPECTED_ANSWER', 'only answers to earlier requests');
  }
}

/** Throws `EXCEPTION` if the peer answered with an error outside of the service; protected or not, it ends the exchange. */
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
