import { ClientAssociation } from '@hes/dlms/association/client.ts';
import { CURRENT_ASSOCIATION } from '@hes/dlms/association/client-open.ts';
import type { Exchange } from '@hes/dlms/association/exchange.ts';
import { PUBLIC_CLIENT_SAP } from '@hes/dlms/association/server-options.ts';
import { objectListing, type ListedObject } from '@hes/dlms/catalogue/object-list.ts';
import { associationLn } from '@hes/dlms/cosem/classes/association-ln.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import type { CosemClass } from '@hes/dlms/cosem/cosem-class.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import type { ClientSession } from '../client-session.ts';
import { planOf, type ConnectOptions, type MeterPlan } from './connect-options.ts';
import { denied, explaining, MeterError, meterErrorOf } from './meter-error.ts';
import { MeterObject } from './meter-object.ts';
import { readLayout, readRows, type MeterProfile, type ProfileLayout, type ProfileQuery } from './meter-profile.ts';
import type { Reading } from './plain-value.ts';
import { readInvocationCounter } from './read-counter.ts';
import { readValue, type KnownClasses } from './read-value.ts';
import { transferImage, type UpgradeOptions } from './transfer-image.ts';

const IMAGE_TRANSFER = '0.0.44.0.0.255';

/**
 * An open association with one meter. Calls may run in parallel: their requests are sent one after the other. All methods fail with
 * `MeterError`; after the codes `DENIED`, `EXCEPTION`, `NOT_GRANTED`, `USAGE` and `BAD_ANSWER` the meter remains usable.
 *
 * `association` and `session` are the layers below: `meter.run(meter.association.access([…]))` uses any service of DLMS.
 */
export class Meter {
  /** The association without I/O, whose exchanges `run` performs. */
  readonly association: ClientAssociation;
  readonly session: ClientSession;
  readonly #subject: string;
  readonly #classes: KnownClasses = new Map();
  readonly #layouts = new Map<Obis, Promise<ProfileLayout>>();
  #deviation: Promise<number> | undefined;

  private constructor(subject: string, session: ClientSession, association: ClientAssociation) {
    this.#subject = subject;
    this.session = session;
    this.association = association;
  }

  /** Connects, reads the invocation counter if it is needed, and opens an association. */
  static async connect(options: ConnectOptions): Promise<Meter> {
    const plan = planOf(options);
    return await explaining(plan.subject, async () => {
      const association = new ClientAssociation(await withCounter(plan));
      const session = await plan.open(plan.client);
      try {
        await session.run(association.open());
      } catch (error) {
        session.close();
        throw error;
      }
      return new Meter(plan.subject, session, association);
    });
  }

  /** Runs an exchange of the association after those before it. */
  async run<T>(exchange: Exchange<T>): Promise<T> {
    if (this.association.state === 'released') throw new MeterError('ENDED', `${this.#subject}: the association has ended`);
    try {
      return await this.session.run(exchange);
    } catch (error) {
      throw meterErrorOf(error, this.#subject);
    }
  }

  /** Reads the value of an object with scaler and unit. The class is found out: register, extended register, demand register or data. */
  async read(name: string): Promise<Reading> {
    return await readValue(this, nameOf(name), this.#classes);
  }

  /** An object, typed by its class: `meter.object(clock, '0.0.1.0.0.255').get('timeZone')`. Nothing is sent. */
  object<C extends CosemClass>(cosemClass: C, name: string): MeterObject<C> {
    return new MeterObject(this, { cosemClass, instance: nameOf(name) });
  }

  /**
   * The objects of the meter that this client sees, with its rights. On a slow line this may take minutes. Some meters announce more objects
   * than they list: `objectListing` of the raw attribute tells how many.
   */
  async objects(): Promise<ListedObject[]> {
    const ref = attributeRef({ cosemClass: associationLn, instance: CURRENT_ASSOCIATION }, 'objectList');
    const answer = await this.run(this.association.get(ref));
    if (!answer.ok) throw denied('object list', answer.result);
    const { objects: listed } = await explaining('object list', async () => objectListing(answer.data));
    for (const { instance, classId } of listed) this.#classes.set(instance, classId);
    return listed;
  }

  /** Reads rows of a profile. Its columns, their scalers and units are read before the first rows. */
  async profile(name: string, query: ProfileQuery = {}): Promise<MeterProfile> {
    const instance = nameOf(name);
    const known = this.#layouts.get(instance) ?? readLayout(this, instance);
    this.#layouts.set(instance, known);
    known.catch(() => this.#layouts.delete(instance));
    return await explaining(`profile ${instance}`, async () => {
      const layout = await known;
      return await readRows(this, layout, { ...query, instance, deviationMinutes: await this.#clockDeviation() });
    });
  }

  /** The time of the meter. */
  async clock(): Promise<Date> {
    const time = await this.#clock.get('time');
    const epochMs = toEpochMs(time, await this.#clockDeviation());
    if (epochMs === null) throw new MeterError('BAD_ANSWER', 'the clock of the meter has no valid time');
    return new Date(epochMs);
  }

  /** Sets the clock, in the time zone that it has. */
  async setClock(date: Date = new Date()): Promise<void> {
    await this.#clock.set('time', fromEpochMs(date.getTime(), await this.#clockDeviation()));
  }

  /** Transfers a firmware image, has it verified and, by default, activated. */
  async upgrade(image: Uint8Array, options: UpgradeOptions & { name?: string }): Promise<void> {
    await transferImage(this.object(imageTransfer, options.name ?? IMAGE_TRANSFER), image, options);
  }

  /** Releases the association and closes the connection. Never fails, and may be called twice. */
  async close(): Promise<void> {
    try {
      if (this.association.state === 'associated') await this.session.run(this.association.release());
    } catch {
      // A meter that does not answer a release loses the association with the connection.
    } finally {
      this.session.close();
    }
  }

  /** For `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #clock(): MeterObject<typeof clock> {
    return this.object(clock, CLOCK_COLUMN.instance);
  }

  /** UTC minus local time of the meter in minutes, read once; 0 when its clock does not tell. */
  #clockDeviation(): Promise<number> {
    this.#deviation ??= this.#clock.get('time').then(
      ({ deviationMinutes }) => deviationMinutes ?? 0,
      (error: unknown) => {
        if (error instanceof MeterError && error.result !== undefined) return 0;
        this.#deviation = undefined;
        throw error;
      },
    );
    return this.#deviation;
  }
}

function nameOf(name: string): Obis {
  try {
    return obis(name);
  } catch (cause) {
    throw new MeterError('USAGE', `"${name}" is no logical name such as 1.0.1.8.0.255`, { cause });
  }
}

/** The options of the association, with a counter read from the meter if nothing else provides it. */
async function withCounter({ subject, association, counterObject, open }: MeterPlan): Promise<MeterPlan['association']> {
  if (counterObject === undefined) return association;
  const { systemTitle, maxPduSize } = association;
  const last = await readInvocationCounter(await open(PUBLIC_CLIENT_SAP), { systemTitle, maxPduSize, counterObject });
  if (last === undefined) throw new MeterError('NO_COUNTER', `${subject}: ${counterObject} holds no counter for the public client`);
  let next = last + 1;
  return { ...association, nextCounter: () => next++ };
}
