import { kindOf, SENDER_KINDS, type SenderKindName } from '@hes/contract/delivery/kinds/every-kind.ts';
import type { Context } from '#db/context.ts';
import type { z } from 'zod';
import { SENDERS } from './kinds/every-kind.ts';
import { DeliveryFailed, type Connection, type DeliveryReach } from './kinds/kind.ts';
import { purposeOf, type StoredSender } from './queries.ts';

/** A connection that sent nothing for as long is closed. */
const IDLE_MS = 60_000;

interface Open {
  version: number;
  usedAt: number;
  connection: Connection;
}

/** Whether this version has the kind of a sender; the row may have been written by a later one. */
export const isKnown = <S extends Pick<StoredSender, 'kind'>>(sender: S): sender is S & { kind: SenderKindName } =>
  Object.hasOwn(SENDER_KINDS, sender.kind);

/** Kind of a stored sender, or `DeliveryFailed` if this version has none of its name. */
export function implementationOf(sender: Pick<StoredSender, 'kind'>) {
  if (!isKnown(sender)) throw new DeliveryFailed('internal', `This version has no senders of the kind ${sender.kind}`);
  return { declared: kindOf(sender.kind), implemented: SENDERS[sender.kind] };
}

/** Length of the periods of a schedule in milliseconds; undefined: the sender runs always. */
export function periodOf(sender: Pick<StoredSender, 'kind' | 'settings'>): number | undefined {
  const { implemented } = implementationOf(sender);
  return implemented.periodMs?.(sender.settings);
}

/** Secrets of a sender by name. An earlier version stored the secret of a webhook as a plain text. */
export function openSecrets({ secrets }: Pick<Context, 'secrets'>, sender: StoredSender): Record<string, string> {
  const text = secrets.open(sender.secret, purposeOf(sender)).toString();
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...(parsed as Record<string, string>) }; // as: written by the service
  } catch {
    // The plain text of an earlier version.
  }
  return { secret: text };
}

/** Stored values as their schema reads them. An earlier version may have permitted other ones. */
function readBy(schema: z.ZodType, values: object): unknown {
  const parsed = schema.safeParse(values);
  if (!parsed.success) throw new DeliveryFailed('internal', parsed.error.issues[0]?.message ?? null);
  return parsed.data;
}

/** Opens the way to the receiver of a sender, under the name `ref`; throws `DeliveryFailed`. */
export async function openConnection(
  ctx: Pick<Context, 'secrets'>,
  reach: DeliveryReach,
  sender: StoredSender,
  ref = sender.ref,
): Promise<Connection> {
  const { declared, implemented } = implementationOf(sender);
  const settings = readBy(declared.settings, sender.settings) as StoredSender['settings']; // as: kinds have settings of these types alone
  const secrets = readBy(declared.secrets, openSecrets(ctx, sender)) as Record<string, string>; // as: secrets are texts
  return implemented.open({ settings, secrets, ref, ...reach });
}

/** Open connections of senders. Each sender is used by one run at a time. */
export class Connections {
  readonly #ctx: Pick<Context, 'secrets' | 'clock'>;
  readonly #reach: DeliveryReach;
  readonly #open = new Map<string, Open>();

  constructor(ctx: Pick<Context, 'secrets' | 'clock'>, reach: DeliveryReach) {
    this.#ctx = ctx;
    this.#reach = reach;
  }

  /** The connection of a sender, opened again if it broke off or the sender was changed. */
  async of(sender: StoredSender): Promise<Connection> {
    const usedAt = this.#ctx.clock.now();
    const found = this.#open.get(sender.id);
    if (found?.version === sender.version && found.connection.isOpen()) {
      found.usedAt = usedAt;
      return found.connection;
    }
    await this.drop(sender.id);
    const connection = await openConnection(this.#ctx, this.#reach, sender);
    this.#open.set(sender.id, { version: sender.version, usedAt, connection });
    return connection;
  }

  /** Closes the connection of a sender. */
  async drop(id: string): Promise<void> {
    const found = this.#open.get(id);
    this.#open.delete(id);
    await found?.connection.close();
  }

  /** Closes connections that are idle or whose sender no longer runs here. */
  async closeIdle(active: ReadonlySet<string>, isBusy: (id: string) => boolean): Promise<void> {
    const before = this.#ctx.clock.now() - IDLE_MS;
    for (const [id, { usedAt }] of this.#open) if (!isBusy(id) && (usedAt < before || !active.has(id))) await this.drop(id);
  }

  async close(): Promise<void> {
    for (const id of this.#open.keys()) await this.drop(id);
  }
}
