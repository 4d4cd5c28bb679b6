import { createHmac } from 'node:crypto';
import { MAX_SECURITY_KEYS, type Attestation } from '@hes/contract/auth/security-key.ts';
import { writeAudit } from '#db/audit.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { isoOrNull } from '#db/paging.ts';
import { dropCode, hasCode, insertRecoveryCodes, parkCode } from '#features/people/second-factor/queries.ts';
import { hashRecoveryCodes } from '#features/people/second-factor/recovery.ts';
import {
  endOthers,
  newCodesFor,
  parkedSecret,
  refuseForeignFactor,
  requireFactor,
  requirePassword,
  type GivenPassword,
} from '#features/people/second-factor/service.ts';
import { ApiError } from '#platform/api-error.ts';
import { KEY_TIMEOUT_MS } from './ask-key.ts';
import type { KeyChallenges } from './challenges.ts';
import { deleteKey, findKeys, insertKey, type StoredKey } from './key-queries.ts';
import type { RelyingParty } from './relying-party.ts';
import { ALGORITHMS, verifyNewKey } from './verify.ts';

const RP_NAME = 'HES';

export async function listKeys({ db }: Context, user: User, party: RelyingParty | undefined) {
  const keys = await findKeys(db, user.id);
  return {
    isPossible: party !== undefined,
    keys: keys.map(({ id, name, rpId, createdAt, lastUsedAt }) => ({
      id,
      name,
      addedAt: createdAt.toISOString(),
      lastUsedAt: isoOrNull(lastUsedAt),
      isUsable: rpId === party?.id,
    })),
  };
}

/** Keys store a name of the user that tells nothing about them. */
const handleOf = ({ secrets }: Context, userId: string): string =>
  createHmac('sha256', secrets.derive('user handles of security keys')).update(userId).digest('base64url');

async function requireRoom(ctx: Context, user: User, party: RelyingParty | undefined): Promise<{ party: RelyingParty; keys: StoredKey[] }> {
  if (party === undefined) throw new ApiError('KEYS_NEED_ADDRESS');
  await refuseForeignFactor(ctx, user);
  const keys = await findKeys(ctx.db, user.id);
  if (keys.length >= MAX_SECURITY_KEYS) throw new ApiError('TOO_MANY_KEYS', { max: MAX_SECURITY_KEYS });
  return { party, keys };
}

interface Door {
  party: RelyingParty | undefined;
  keys: KeyChallenges;
}

/** Options for a new key, after the password and, if the user has one, the second factor. */
export async function beginKey(ctx: Context, who: Who, { party, keys: challenges, ...given }: Door & GivenPassword) {
  const { user } = who;
  const {
    party: { id },
    keys,
  } = await requireRoom(ctx, user, party);
  await requirePassword(ctx, who, given, 'enrolment');
  await requireFactor(ctx, who);
  return {
    challenge: challenges.issueForNew(user),
    rp: { id, name: RP_NAME },
    user: { id: handleOf(ctx, user.id), name: user.username, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: KEY_TIMEOUT_MS,
    attestation: 'none' as const,
    excludeCredentials: keys.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      type: 'public-key' as const,
      transports,
    })),
    authenticatorSelection: { residentKey: 'discouraged' as const, userVerification: 'required' as const },
  };
}

const audit = (tx: Tx, { user, ip }: Who, action: 'security_key_added' | 'security_key_removed', name: string, now: number) =>
  writeAudit(tx, { userId: user.id, action, entity: 'user', entityId: user.id, detail: { name }, ip }, now);

/** Stores a key that answered the challenge of this session. With the first second factor it returns recovery codes, once. */
export async function finishKey(
  ctx: Context,
  who: Who,
  { name, attestation, party: given, keys: challenges }: Door & { name: string; attestation: Attestation },
): Promise<{ recoveryCodes: string[] }> {
  const { user } = who;
  const { party } = await requireRoom(ctx, user, given);
  const challenge = await challenges.spendForNew(user, attestation.response.clientDataJSON);
  const found = await verifyNewKey(attestation, challenge, party);
  if (found === undefined) throw new ApiError('KEY_REFUSED');
  const recoveryCodes = await newCodesFor(ctx, user.id);
  const hashes = await hashRecoveryCodes(ctx.secrets, user.id, recoveryCodes);
  await endOthers(ctx, who, async (tx, now) => {
    const { transports = [] } = attestation.response;
    const key = { userId: user.id, name, rpId: party.id, ...found, transports, createdAt: new Date(now) };
    if (!(await insertKey(tx, key))) throw new ApiError('KEY_REFUSED');
    if (hashes.length > 0) {
      if (!(await hasCode(tx, user.id))) await parkCode(tx, user.id, parkedSecret(ctx, user.id), new Date(now));
      await insertRecoveryCodes(tx, user.id, hashes);
    }
    await audit(tx, who, 'security_key_added', name, now);
    return true;
  });
  return { recoveryCodes };
}

/** Removes a key after password and second factor; recovery codes go with the last factor. */
export async function removeKey(ctx: Context, who: Who, { id, ...given }: GivenPassword & { id: string }): Promise<void> {
  const { user } = who;
  if (!(await findKeys(ctx.db, user.id)).some((key) => key.id === id)) throw new ApiError('NOT_FOUND');
  await requirePassword(ctx, who, given, 'removal');
  await requireFactor(ctx, who);
  await endOthers(ctx, who, async (tx, now) => {
    const name = await deleteKey(tx, user.id, id);
    if (name === undefined) throw new ApiError('NOT_FOUND');
    if (!(await hasCode(tx, user.id)) && (await findKeys(tx, user.id)).length === 0) await dropCode(tx, user.id);
    await audit(tx, who, 'security_key_removed', name, now);
    return true;
  });
}
