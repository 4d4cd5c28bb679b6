import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { changeLine, FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Device } from './devices.ts';
import { isNameOf } from './device-name.ts';
import type { FieldEvents } from './field-events.ts';
import type { IdentityDoubt } from './link.ts';

const HOUR_MS = 3_600_000;
const MAX_KEPT = 50_000;

interface Verdict {
  at: MonotonicMs;
  /** Reason before the name was read. */
  reason: ReasonCode;
  outcome: Outcome<never>;
}

const keyOf = ({ kind, id }: Device): string => `${kind}/${id}`;

/**
 * Finds the cause of failed authentications. A swapped meter address looks like a wrong key, so the logical device name at the address is
 * read, at most once an hour, and an event reports the result.
 */
export class IdentityDoubts {
  readonly #events: FieldEvents;
  readonly #verdicts = new BoundedCache<string, Verdict>(MAX_KEPT);

  constructor(events: FieldEvents) {
    this.#events = events;
  }

  async explain(answer: IdentityDoubt): Promise<Outcome<never>> {
    const { device, outcome } = answer;
    const key = keyOf(device);
    const known = this.#verdicts.get(key);
    if (known !== undefined && known.reason === outcome.reason && msSince(known.at) < HOUR_MS) return known.outcome;
    const judged = await this.#judge(answer);
    this.#verdicts.set(key, { at: monotonicNow(), reason: outcome.reason, outcome: judged });
    return judged;
  }

  /** Discards the verdict about a device that has been authenticated. */
  discardVerdict(device: Device): void {
    this.#verdicts.delete(keyOf(device));
  }

  async #judge({ device, outcome, traceId, askName }: IdentityDoubt): Promise<Outcome<never>> {
    const name = outcome.reason === 'IDENTITY_MISMATCH' && !device.isCiphered ? outcome.detail : await askName();
    const dcuId = 'dcuId' in device && typeof device.dcuId === 'string' ? device.dcuId : null;
    const event = { device, dcuId, traceId };
    const isOther = outcome.reason === 'IDENTITY_MISMATCH' || (name !== undefined && !isNameOf(name, device.sn, device.quirks));
    if (isOther) {
      const said = name ?? outcome.detail ?? '—';
      await this.#events.raise({
        ...event,
        code: FIELD_EVENT.identityMismatch,
        lines: [changeLine('identity', device.sn, device.sn, said)],
      });
      return failed('IDENTITY_MISMATCH', said);
    }
    const why = outcome.detail === undefined ? outcome.reason : `${outcome.reason}, ${outcome.detail}`;
    await this.#events.raise({ ...event, code: FIELD_EVENT.notProved, lines: [stateLine('proof', device.sn, why)] });
    return outcome;
  }
}
