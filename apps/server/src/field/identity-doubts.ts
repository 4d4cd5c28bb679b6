import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { changeLine, FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Device } from './devices.ts';
import { isNameOf } from './device-name.ts';
import type { FieldEvents } from './field-events.ts';
import type { IdentityDoubt } from './link.ts';

const HOUR_MS = 3_600_000;
/** A device that did not answer when it was asked for its name is asked again after this time. */
const ASK_AGAIN_MS = 60_000;
const MAX_KEPT = 50_000;

interface Verdict {
  at: MonotonicMs;
  /** Reason before the name was read. */
  reason: ReasonCode;
  outcome: Outcome<never>;
  /** When a device was last asked in vain; undefined: its name is known, or it is not asked. */
  silentAt: MonotonicMs | undefined;
}

const keyOf = ({ kind, id }: Device): string => `${kind}/${id}`;

/**
 * Finds the cause of failed authentications. A swapped meter address looks like a wrong key, so the logical device name at the address is
 * read, at most once an hour, and an event reports the result. A device that did not say its name is asked again each minute.
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
    const isRecent = known !== undefined && known.reason === outcome.reason && msSince(known.at) < HOUR_MS;
    if (isRecent && (known.silentAt === undefined || msSince(known.silentAt) < ASK_AGAIN_MS)) return known.outcome;
    const name = await this.#nameOf(answer);
    const silentAt = name === undefined && device.kind === 'meter' ? monotonicNow() : undefined;
    if (isRecent && silentAt !== undefined) {
      known.silentAt = silentAt;
      return known.outcome;
    }
    const judged = await this.#judge(answer, name);
    this.#verdicts.set(key, { at: monotonicNow(), reason: outcome.reason, outcome: judged, silentAt });
    return judged;
  }

  /** A meter without cipher has said its name with the answer. */
  #nameOf({ device, outcome, askName }: IdentityDoubt): Promise<string | undefined> {
    return outcome.reason === 'IDENTITY_MISMATCH' && !device.isCiphered ? Promise.resolve(outcome.detail) : askName();
  }

  /** Discards the verdict about a device that has been authenticated. */
  discardVerdict(device: Device): void {
    this.#verdicts.delete(keyOf(device));
  }

  async #judge({ device, outcome, traceId }: IdentityDoubt, name: string | undefined): Promise<Outcome<never>> {
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
