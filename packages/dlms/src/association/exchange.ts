/**
 * A dialogue with a peer without transport: it yields an APDU to send, receives the response, and returns a result. One step is one round
 * trip. It yields an empty APDU to await another response without sending. It ends with `AssociationError` or `DecodeError`, or when its
 * driver drops it. After a timeout the driver may hand in an empty response during a read, which is then retransmitted.
 */
export type Exchange<T> = Generator<Uint8Array, T, Uint8Array>;

/** Yielded to await the next APDU without sending one. */
export const WAIT = new Uint8Array(0);

/** Runs an exchange against a synchronous peer; `undefined` means no response and ends the run with an error. */
export function runExchange<T>(exchange: Exchange<T>, answerOf: (apdu: Uint8Array) => Uint8Array | undefined): T {
  let step = exchange.next();
  while (step.done !== true) {
    const answer = answerOf(step.value);
    if (answer === undefined) throw new Error('The peer did not respond');
    step = exchange.next(answer);
  }
  return step.value;
}
