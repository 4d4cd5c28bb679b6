import { createHmac, timingSafeEqual } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { ApiError } from '#platform/api-error.ts';
import type { Db, Tx } from './context.ts';
import { keysOf } from './handle-keys.ts';
import type { RightNumbers, Subject, SubjectKind } from './right-numbers.ts';

export type { Subject } from './right-numbers.ts';

/** The stored seal of a subject and the digest of its current rows, in hexadecimal; null for a missing part. */
export interface SealFacts {
  number: string | null;
  digest: string | null;
  seal: string | null;
  /** Digest of the current rows; null when the subject does not exist. */
  found: string | null;
}

/** Timestamp text independent of the time zone of the connection. */
const utc = (column: string) => sql`(${sql.raw(column)} at time zone 'UTC')`;
const digestOf = (text: RawBuilder<unknown>) => sql`encode(pg_catalog.sha256(convert_to(${text}::text, 'UTF8')), 'hex')`;

/** Fields of a program that affect rights. They are added for programs alone, so that the seals of persons keep their digests. */
const programParts = sql`case when su.kind = 'person' then '[]'::jsonb else jsonb_build_array(su.kind, su.may_order,
    (select jsonb_agg(jsonb_build_array(spt.id, spt.name, encode(spt.hash, 'hex'), spt.address_ranges, ${utc('spt.created_at')},
      ${utc('spt.expires_at')}, ${utc('spt.revoked_at')}) order by spt.id) from program_token spt where spt.user_id = su.id)) end`;

/** The identity of a person at an identity provider. It is added for such persons alone, so that other seals keep their digests. */
const identityParts = sql`coalesce((select jsonb_build_array('identity', sei.provider_id, sei.subject)
    from external_identity sei where sei.user_id = su.id), '[]'::jsonb)`;

/** Security keys of a person, without what each use changes. They are added for persons with keys alone, so that other seals keep their digests. */
const keyParts = sql`coalesce((select jsonb_build_array('keys', jsonb_agg(jsonb_build_array(ssk.id, ssk.rp_id, encode(ssk.credential_id, 'hex'),
    encode(ssk.public_key, 'hex')) order by ssk.id)) from security_key ssk where ssk.user_id = su.id having count(*) > 0), '[]'::jsonb)`;

/** Digest of all fields of a user that affect rights: name, state, password, second factor, keys, identity, roles and the times of their grants. */
const userDigest = (id: RawBuilder<unknown>): RawBuilder<string | null> => sql`(select ${digestOf(sql`jsonb_build_array(
    su.id, su.username, su.password_hash, su.lock, su.must_change_password, ${utc('su.deleted_at')},
    ${utc('su.credentials_reset_at')}, su.credentials_reset_by,
    (select jsonb_agg(jsonb_build_array(sur.role_id, ${utc('sur.granted_at')}, sur.granted_by) order by sur.role_id)
      from user_role sur where sur.user_id = su.id),
    (select jsonb_build_array(encode(sf.secret, 'hex'), ${utc('sf.confirmed_at')})
      from second_factor sf where sf.user_id = su.id and sf.confirmed_at is not null),
    (select jsonb_agg(encode(sc.hash, 'hex') order by sc.hash) from recovery_code sc where sc.user_id = su.id)) || ${programParts} || ${identityParts} || ${keyParts}`)}
  from app_user su where su.id = ${id})`;

/**
 * Digest of all fields of a role that affect rights: area, pages, actions and the times of their grants. Pages are given by path, because
 * requests are authorised by path.
 */
const roleDigest = (id: RawBuilder<unknown>): RawBuilder<string | null> => sql`(select ${digestOf(sql`jsonb_build_array(
    sr.id, sr.code, sr.is_builtin, sr.sees_whole_network, ${utc('sr.area_widened_at')}, sr.area_widened_by,
    (select jsonb_agg(jsonb_build_array(sm.path, sra.action, ${utc('sra.granted_at')}, sra.granted_by) order by sm.id, sra.action collate "C")
      from role_action sra join module sm on sm.id = sra.module_id and sm.type = 'page' where sra.role_id = sr.id),
    (select jsonb_agg(sm.path order by sm.id)
      from role_module srm join module sm on sm.id = srm.module_id and sm.type = 'page' where srm.role_id = sr.id),
    (select jsonb_agg(jsonb_build_array(srs.level_id, srs.transformer_id) order by srs.level_id, srs.transformer_id)
      from role_scope srs where srs.role_id = sr.id))`)}
  from role sr where sr.id = ${id})`;

const DIGESTS = { user: userDigest, role: roleDigest };

/** SQL expression for the `SealFacts` of a subject, in the snapshot of the surrounding statement. */
export const sealFacts = (kind: SubjectKind, id: RawBuilder<unknown>): RawBuilder<SealFacts> => sql`(
  select jsonb_build_object('number', ss.number::text, 'digest', encode(ss.digest, 'hex'), 'seal', encode(ss.seal, 'hex'), 'found', sd.found)
  from (select ${DIGESTS[kind](id)} as found) sd left join right_seal ss on ss.kind = ${kind} and ss.subject_id = ${id})`;

const macBy = (key: Buffer, parts: readonly unknown[]): Buffer => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
const macOf = (db: Db, parts: readonly unknown[]): Buffer => macBy(keysOf(db).rights, parts);
const sealParts = ({ kind, id }: Subject, number: string, digest: string | null) => [kind, id, number, digest];
const sealOf = (db: Db, subject: Subject, number: string, digest: string | null) => macOf(db, sealParts(subject, number, digest));
const isSame = (given: Buffer, expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected);

/** Whether the seal is authentic and the newest of its subject. */
function isCurrent(db: Db, subject: Subject, { number, digest, seal }: Omit<SealFacts, 'found'>): boolean {
  if (number === null || seal === null || !isSame(Buffer.from(seal, 'hex'), sealOf(db, subject, number, digest))) return false;
  const { numbers } = keysOf(db);
  if (BigInt(number) < BigInt(numbers.of(subject))) return false;
  if (!db.isTransaction) numbers.note(subject, number);
  return true;
}

/** Whether the rows of a subject are as this server last wrote them. Callers must not grant rights to a subject that is not intact. */
export const isIntact = (db: Db, subject: Subject, facts: SealFacts): boolean =>
  facts.digest === facts.found && isCurrent(db, subject, facts);

export interface FoundSeal extends SealFacts {
  subject: Subject;
}

async function findSeals(db: Db, subjects: readonly Subject[]): Promise<FoundSeal[]> {
  const found: FoundSeal[] = [];
  for (const kind of ['user', 'role'] as const) {
    const ids = subjects.filter((subject) => subject.kind === kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { rows } = await sql<{ id: string; facts: SealFacts }>`
      select si.id, ${sealFacts(kind, sql`si.id`)} as facts from unnest(${ids}::bigint[]) si (id) order by si.id`.execute(db);
    found.push(...rows.map(({ id, facts }) => ({ subject: { kind, id }, ...facts })));
  }
  return found;
}

/** Keeps a statement below PostgreSQL's limit of 65,535 parameters. */
const ROWS_A_STATEMENT = 5000;

async function writeSeals(db: Db, found: readonly FoundSeal[]): Promise<void> {
  const { numbers } = keysOf(db);
  const rows = found.map(({ subject, number, found: digest }) => {
    const known = [BigInt(number ?? 0), BigInt(numbers.of(subject))];
    const next = String(known.reduce((largest, one) => (one > largest ? one : largest)) + 1n);
    return {
      kind: subject.kind,
      subjectId: subject.id,
      number: next,
      digest: digest === null ? null : Buffer.from(digest, 'hex'),
      seal: sealOf(db, subject, next, digest),
    };
  });
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT)
    await db
      .insertInto('rightSeal')
      .values(rows.slice(at, at + ROWS_A_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'subjectId'])
          .doUpdateSet(({ ref }) => ({ number: ref('excluded.number'), digest: ref('excluded.digest'), seal: ref('excluded.seal') })),
      )
      .execute();
}

/** Seals the current rows without verification. Only for rows that this transaction inserted or that a user has confirmed. */
export const sealAsFound = async (tx: Tx, subjects: readonly Subject[]): Promise<void> => writeSeals(tx, await findSeals(tx, subjects));

const lockSeals = (tx: Tx, subjects: readonly Subject[]) =>
  sql`select from right_seal where (kind, subject_id) in (
    select * from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::bigint[])) order by kind, subject_id for update`.execute(
    tx,
  );

/** Whether all subjects are intact, that is, not changed outside the product. */
export async function areIntact(db: Db, subjects: readonly Subject[]): Promise<boolean> {
  return (await findSeals(db, subjects)).every((facts) => isIntact(db, facts.subject, facts));
}

async function requireIntact(db: Db, subjects: readonly Subject[]): Promise<void> {
  if (!(await areIntact(db, subjects))) throw new ApiError('CHANGED_OUTSIDE');
}

/** The same for users and all roles they hold. */
export async function areHoldersIntact(db: Db, userIds: readonly string[]): Promise<boolean> {
  const roles = await db
    .selectFrom('userRole')
    .where(sql<boolean>`user_id = any(${[...userIds]}::bigint[])`)
    .select('roleId')
    .distinct()
    .execute();
  const users = userIds.map((id): Subject => ({ kind: 'user', id }));
  return areIntact(db, [...users, ...roles.map(({ roleId }): Subject => ({ kind: 'role', id: roleId }))]);
}

/**
 * Changes rows that affect rights, and renews their seals. The old seal is verified first: otherwise the next legitimate change would also
 * seal a forged row. All writers use this function, or `sealAsFound` for new subjects.
 */
export async function changeRights<T>(tx: Tx, subjects: readonly Subject[], change: () => Promise<T>): Promise<T> {
  await lockSeals(tx, subjects);
  await requireIntact(tx, subjects);
  const done = await change();
  await sealAsFound(tx, subjects);
  return done;
}

/**
 * Changes pages, whose paths are part of the seals of roles. Intact roles are sealed again; roles that were changed outside the product
 * remain broken.
 */
export async function changePages<T>(tx: Tx, change: () => Promise<T>): Promise<T> {
  const roles = await tx.selectFrom('role').select('id').orderBy('id').execute();
  const subjects = roles.map(({ id }): Subject => ({ kind: 'role', id }));
  await lockSeals(tx, subjects);
  const before = (await findSeals(tx, subjects)).filter((facts) => isIntact(tx, facts.subject, facts));
  const done = await change();
  const intact = await findSeals(
    tx,
    before.map(({ subject }) => subject),
  );
  await writeSeals(
    tx,
    intact.filter(({ digest, found }) => digest !== found),
  );
  return done;
}

/** Numbers of the newest versions, kept outside of the database. */
export const numbersOf = (db: Db): RightNumbers => keysOf(db).numbers;

/** All current subjects, and those that ever had a seal. */
async function findSubjects(db: Db): Promise<Subject[]> {
  const { rows } = await sql<Subject>`
    select 'user' as kind, id from app_user union select 'role', id from role union select kind, subject_id from right_seal`.execute(db);
  const found = new Map([...rows, ...keysOf(db).numbers.subjects()].map((subject) => [`${subject.kind} ${subject.id}`, subject]));
  return [...found.values()];
}

/** Users and roles that were changed outside the product. */
export async function findBroken(db: Db): Promise<FoundSeal[]> {
  const found = await findSeals(db, await findSubjects(db));
  return found.filter((facts) => !isIntact(db, facts.subject, facts));
}

/** Seals all active sessions without verification. */
export async function sealSessions(db: Db): Promise<void> {
  const sessions = await db.selectFrom('userSession').where('revokedAt', 'is', null).select(SESSION_COLUMNS).execute();
  for (const session of sessions)
    await db
      .updateTable('userSession')
      .set({ seal: sessionSeal(db, session) })
      .where('id', '=', session.id)
      .execute();
}

/** Seals all users, roles and sessions without verification: once, when an installation without seals is updated. */
export async function sealEverything(tx: Tx): Promise<{ users: number; roles: number }> {
  const subjects = await findSubjects(tx);
  await sealAsFound(tx, subjects);
  await sealSessions(tx);
  const count = (kind: SubjectKind) => subjects.filter((subject) => subject.kind === kind).length;
  return { users: count('user'), roles: count('role') };
}

/** Notes the numbers of newer seals, without reading the sealed rows. */
export async function noteSealNumbers(db: Db): Promise<void> {
  const { rows } = await sql<Subject & Omit<SealFacts, 'found'>>`
    select kind, subject_id as id, number::text, encode(digest, 'hex') as digest, encode(seal, 'hex') as seal from right_seal`.execute(db);
  const { numbers } = keysOf(db);
  for (const { kind, id, ...facts } of rows)
    if (BigInt(facts.number ?? 0) > BigInt(numbers.of({ kind, id }))) isCurrent(db, { kind, id }, facts);
  numbers.save();
}

const SESSION_COLUMNS = ['id', 'userId', 'issuedAt', 'expiresAt', 'provedAt', 'providerId'] as const;

/** The sealed fields of a session. */
export interface SealedSession {
  id: string;
  userId: string;
  issuedAt: Date;
  expiresAt: Date;
  provedAt: Date | null;
  /** The identity provider that vouched for the user; null: a password of this system. */
  providerId: string | null;
}

const formerSessionParts = ({ id, userId, issuedAt, expiresAt, provedAt }: SealedSession) => [
  'session',
  id,
  userId,
  issuedAt,
  expiresAt,
  provedAt,
];
/** The provider is added for its own sessions alone, so that other seals stay as they are. */
const sessionParts = (session: SealedSession) => [
  ...formerSessionParts(session),
  ...(session.providerId === null ? [] : ['provider', session.providerId]),
];

export const sessionSeal = (db: Db, session: SealedSession): Buffer => macOf(db, sessionParts(session));

export const isSessionIntact = (db: Db, session: SealedSession & { seal: Buffer | null }): boolean =>
  session.seal !== null && isSame(session.seal, sessionSeal(db, session));

/** Whether an earlier version sealed a session without its provider. It gives no rights, so its user signs in again. */
const isFormerSession = (db: Db, session: SealedSession & { seal: Buffer | null }): boolean =>
  session.providerId !== null && session.seal !== null && isSame(session.seal, macOf(db, formerSessionParts(session)));

/** Locks an active, intact session until the transaction ends. */
export async function takeSession(tx: Tx, id: string): Promise<SealedSession> {
  const session = await tx
    .selectFrom('userSession')
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .select([...SESSION_COLUMNS, 'seal'])
    .forUpdate()
    .executeTakeFirst();
  if (session === undefined || !isSessionIntact(tx, session)) throw new ApiError('TOKEN_INVALID');
  return session;
}

/** Active sessions that were changed outside the product. */
export async function findBrokenSessions(db: Db, now: Date): Promise<SealedSession[]> {
  const sessions = await db
    .selectFrom('userSession')
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .select([...SESSION_COLUMNS, 'seal'])
    .execute();
  return sessions.filter((session) => !isSessionIntact(db, session) && !isFormerSession(db, session));
}

/** Replaces seals of the previous key by seals of the current one. A subject whose seal was broken stays broken. Returns the number replaced. */
export async function renewRightSeals(tx: Tx, previous: Buffer): Promise<number> {
  let renewed = 0;
  const seals = await tx.selectFrom('rightSeal').selectAll().execute();
  for (const { kind, subjectId, number, digest, seal } of seals) {
    const parts = sealParts({ kind, id: subjectId }, number, digest?.toString('hex') ?? null);
    if (!isSame(seal, macBy(previous, parts))) continue;
    await tx
      .updateTable('rightSeal')
      .set({ seal: macOf(tx, parts) })
      .where('kind', '=', kind)
      .where('subjectId', '=', subjectId)
      .execute();
    renewed += 1;
  }
  const sessions = await tx
    .selectFrom('userSession')
    .where('revokedAt', 'is', null)
    .select([...SESSION_COLUMNS, 'seal'])
    .execute();
  for (const session of sessions) {
    const { id, seal } = session;
    if (seal === null || !isSame(seal, macBy(previous, sessionParts(session)))) continue;
    await tx
      .updateTable('userSession')
      .set({ seal: sessionSeal(tx, session) })
      .where('id', '=', id)
      .execute();
    renewed += 1;
  }
  return renewed;
}
