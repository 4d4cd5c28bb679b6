import type { ChannelKind } from '@hes/contract/states/alarm.ts';
import type { Sent } from './mail.ts';
import { leftOf } from './kept-steps.ts';
import type { MessageToSend, Recipient, StoredOutcome } from './message-queries.ts';

export const waitingOutcome = ({ id, name }: Pick<Recipient, 'id' | 'name'>): StoredOutcome => ({
  id,
  name,
  address: null,
  state: 'waiting',
  failure: null,
  answer: null,
});

/** Where a channel reaches a recipient; null: nowhere. */
export const addressOf = (kind: ChannelKind, { name, email, phone }: Recipient): string | null =>
  kind === 'email' ? email : (phone ?? email ?? name);

/** Recipients that an attempt is for, and the outcomes of all recipients before it. */
export interface Round {
  recipients: Recipient[];
  outcomes: StoredOutcome[];
}

/** Leaves out the recipients that have an outcome, those that were removed, and those without an address. */
export function roundOf(message: MessageToSend, kind: ChannelKind, found: readonly Recipient[]): Round {
  const left = new Set(leftOf(message, message.ruleSteps)?.recipientIds);
  const byId = new Map(found.map((recipient) => [recipient.id, recipient]));
  // A head-end of an earlier version stored the message without outcomes.
  const before = message.outcomes.length > 0 ? message.outcomes : found.map(waitingOutcome);
  const recipients: Recipient[] = [];
  const outcomes = before.map((outcome): StoredOutcome => {
    if (outcome.state !== 'waiting') return outcome;
    const recipient = byId.get(outcome.id);
    if (recipient === undefined || !left.has(outcome.id)) return { ...outcome, state: 'removed' };
    const address = addressOf(kind, recipient);
    if (address === null) return { ...outcome, state: 'failed', failure: 'no_address' };
    recipients.push(recipient);
    return { ...outcome, name: recipient.name, address };
  });
  return { recipients, outcomes };
}

/** Outcomes after an attempt. `isOver`: none follows. Those that stay `waiting` are tried again. */
export function outcomesAfter({ recipients, outcomes }: Round, sent: Sent, isOver: boolean): StoredOutcome[] {
  const tried = new Set(recipients.map(({ id }) => id));
  const refusals = new Map(sent.refused.map((refusal) => [refusal.address, refusal]));
  return outcomes.map((outcome): StoredOutcome => {
    if (!tried.has(outcome.id)) return outcome;
    const refusal = refusals.get(outcome.address?.toLowerCase() ?? '');
    if (refusal !== undefined) {
      const { isFinal, answer } = refusal;
      return { ...outcome, answer, state: isFinal || isOver ? 'failed' : 'waiting', failure: isFinal ? 'mail_refused' : 'mail_deferred' };
    }
    if (sent.isSent) return { ...outcome, state: 'sent', failure: null, answer: sent.answer };
    const end = sent.isUncertain ? 'unknown' : 'failed';
    return { ...outcome, state: isOver ? end : 'waiting', failure: sent.failure, answer: sent.answer };
  });
}

/** State of a message by the outcomes of its recipients; a message without recipients was accepted or not. */
export function stateAfter(
  outcomes: readonly StoredOutcome[],
  isAccepted: boolean,
  isOver: boolean,
): 'waiting' | 'sent' | 'failed' | 'dropped' {
  if (outcomes.length === 0) return isAccepted ? 'sent' : isOver ? 'failed' : 'waiting';
  const has = (state: StoredOutcome['state']) => outcomes.some((outcome) => outcome.state === state);
  if (has('waiting')) return 'waiting';
  if (has('sent')) return 'sent';
  return has('failed') || has('unknown') ? 'failed' : 'dropped';
}
