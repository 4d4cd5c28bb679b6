/**
 * A dialogue with a peer, without its transport. It yields an APDU to send, is given the answer, and returns the
 * result: one step is one round trip. An empty APDU means: send nothing, the last answer was a late one, wait for the
 * next. It ends with `AssociationError` or `DecodeError`, or when its driver gives up and drops it. A driver that heard
 * nothing in time may hand in an empty answer while something is read: it is then asked once more.
 */
export type Exchange<T> = Generator<Uint8Array, T, Uint8Array>;

/** What an exchange yields to hear the next APDU without saying anything. */
export const WAIT = new Uint8Array(0);

/** Runs an exchange against a peer that answers at once; an answer of undefined is silence and ends the run. */
export function runExchange<T>(exchange: Exchange<T>, answerOf: (apdu: Uint8Array) => Uint8Array | undefined): T {
  let step = exchange.next();
  while (step.done !== true) {
    const answer = answerOf(step.value);
    if (answer === undefined) throw new Error('The peer said nothing');
    step = exchange.next(answer);
  }
  return step.value;
}
