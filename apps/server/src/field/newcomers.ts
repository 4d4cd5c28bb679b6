import type { Outcome } from '@hes/contract/core/outcome.ts';
import { FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import { msSince } from '#platform/clock.ts';
import type { Context } from '#platform/context.ts';
import type { Device, Devices } from './devices.ts';
import type { FieldEvents } from './field-events.ts';
import { recordStranger } from './queries.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** A connection that claims a name that is in use has so long to prove it. */
const PROOF_MS = 15_000;
/** Connections under one name that may prove themselves at the same time; more are closed. */
const MAX_AT_ONCE = 4;

interface Tools {
  ctx: Pick<Context, 'pool' | 'log'>;
  sessions: Sessions;
  devices: Devices;
  fieldEvents: FieldEvents;
  /** Opens an association with the DCU itself and compares its name. */
  prove(session: Session): Promise<Outcome<void>>;
}

const canProve = ({ access }: Pick<Device, 'access'>): boolean => 'mechanism' in access && access.mechanism !== 'none';

/**
 * Decides which connection a DCU has. A serial number is no secret, so while a DCU is connected another connection under its name takes over
 * only when it has proved itself by the keys of the DCU. DCUs without keys cannot prove anything: of them the newest connection counts.
 */
export class Newcomers {
  readonly #tools: Tools;
  readonly #proving = new Map<string, number>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async receive(session: Session): Promise<void> {
    const { sessions, devices } = this.#tools;
    const { dcu } = session;
    if (sessions.get(dcu.id) === undefined || !canProve(devices.dcu(dcu))) return sessions.adopt(session);
    const proving = this.#proving.get(dcu.id) ?? 0;
    if (proving >= MAX_AT_ONCE) return this.#refuse(session, 'Too many connections under this name');
    this.#proving.set(dcu.id, proving + 1);
    const timer = setTimeout(() => session.close('unproved', 'No proof in time'), PROOF_MS);
    try {
      const proved = await this.#tools.prove(session);
      if (proved.ok) return await sessions.adopt(session);
      await this.#refuse(session, `${proved.reason} ${proved.detail ?? ''}`.trim());
    } finally {
      clearTimeout(timer);
      const left = (this.#proving.get(dcu.id) ?? 1) - 1;
      if (left === 0) this.#proving.delete(dcu.id);
      else this.#proving.set(dcu.id, left);
    }
  }

  async #refuse(session: Session, detail: string): Promise<void> {
    const { ctx, fieldEvents } = this.#tools;
    const { dcu, connection, direction, opened } = session;
    session.close('unproved', detail);
    ctx.log.warn('A connection under the name of a connected DCU proved nothing', { dcuSn: dcu.sn, remote: connection.remote, detail });
    const device = { kind: 'dcu' as const, id: dcu.id, sn: dcu.sn };
    const lines = [stateLine('proof', dcu.sn, `${connection.remote.replaceAll(':', '.')}, ${detail}`)];
    await fieldEvents.raiseHourly({ device, dcuId: dcu.id, traceId: null, code: FIELD_EVENT.notProved, lines });
    await recordStranger(ctx.pool, {
      dcuId: null,
      claimedName: dcu.sn,
      direction,
      remote: connection.remote,
      openMs: msSince(opened),
      reason: 'unproved',
      detail,
      bytesIn: connection.bytesIn,
      bytesOut: connection.bytesOut,
    });
  }
}
