import { writeAudit } from '#db/audit.ts';
import type { Context, Db, Tx } from '#db/context.ts';
import { areIntact } from '#db/right-seals.ts';
import { findProvider } from '#features/people/external/provider-queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import {
  findExternalAdministrators,
  findLastSession,
  findLocalAdministrator,
  findLocalSignIn,
  type LocalSignIn,
} from './emergency-queries.ts';

/** Event code in the log of the head-end. */
const EMERGENCY_ACCOUNT_USED = 60_080;
const SHOWN_MS = 7 * 86_400_000;

const isNamed = (name: string, username: string): boolean => name !== '' && name.toLowerCase() === username.toLowerCase();

/** Whether a user may sign in by a password of this system, and whether this is the emergency account. */
export async function judgeLocally(db: Db, username: string): Promise<{ isAllowed: boolean; isEmergency: boolean }> {
  const { allowed, emergencyUser } = await findLocalSignIn(db);
  const isEmergency = isNamed(emergencyUser, username);
  return { isAllowed: allowed === 'everybody' || isEmergency, isEmergency };
}

/** Whether an administrator can sign in by a provider that is offered and was not changed outside the product. */
async function hasWayIn({ secrets }: Context, tx: Tx): Promise<boolean> {
  for (const { id, providerId } of await findExternalAdministrators(tx)) {
    const provider = await findProvider({ secrets, db: tx }, providerId);
    if (provider?.content?.config.isEnabled === true && (await areIntact(tx, [{ kind: 'user', id }]))) return true;
  }
  return false;
}

/** Refuses a value that could lock everybody out. Returns the id of the emergency account; undefined: there is none. */
export async function requireEmergencyAccount(ctx: Context, tx: Tx, { allowed, emergencyUser }: LocalSignIn): Promise<string | undefined> {
  if (emergencyUser === '') return undefined;
  const id = await findLocalAdministrator(tx, emergencyUser);
  if (id === undefined || !(await areIntact(tx, [{ kind: 'user', id }])))
    throw new ApiError('EMERGENCY_ACCOUNT_INVALID', { username: emergencyUser }, 'value.emergencyUser');
  if (allowed === 'emergency' && !(await hasWayIn(ctx, tx))) throw new ApiError('NO_WAY_IN');
  return id;
}

/** Refuses a change of a user after which the emergency account, on which the sign-in relies, could not be used. */
export async function requireEmergencyStays(tx: Tx, id: string, before: string | undefined): Promise<void> {
  if (before !== id) return;
  const { emergencyUser } = await findLocalSignIn(tx);
  if ((await findLocalAdministrator(tx, emergencyUser)) !== id) throw new ApiError('LAST_EMERGENCY', { username: emergencyUser });
}

/** Id of the emergency account if the sign-in relies on it. */
export async function reliedOn(db: Db): Promise<string | undefined> {
  const { allowed, emergencyUser } = await findLocalSignIn(db);
  return allowed === 'emergency' ? findLocalAdministrator(db, emergencyUser) : undefined;
}

/** Raises the alarm of the emergency account. */
export async function reportEmergency(
  { db, clock }: Context,
  events: EventWriter,
  { id, username, ip }: { id: string; username: string; ip: string },
): Promise<void> {
  const now = clock.now();
  const entry = { userId: id, action: 'emergency_sign_in', entity: 'user', entityId: id, detail: { username }, ip } as const;
  await db.transaction().execute((tx) => writeAudit(tx, entry, now));
  await storeOwnEvent(events, { code: EMERGENCY_ACCOUNT_USED, occurAt: now, message: `${username}, ${ip}` });
}

/** The last use of the emergency account within a week. */
export async function lastEmergency({ db, clock }: Context): Promise<{ username: string; at: string } | null> {
  const { emergencyUser } = await findLocalSignIn(db);
  if (emergencyUser === '') return null;
  const at = await findLastSession(db, emergencyUser, new Date(clock.now() - SHOWN_MS));
  return at === undefined ? null : { username: emergencyUser, at: at.toISOString() };
}
