import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { ApiError } from './api-error.ts';
import { WorkQueue, type Lane } from './work-queue.ts';

const argon2Async = promisify(argon2);

/** OWASP recommendation for Argon2id: 19 MiB, two passes, one lane; about 40 ms. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_OCTETS = 16;
const RETRY_AFTER_SECONDS = 2;
/** Limits concurrent hashes, because each occupies a CPU core. */
const hashing = new WorkQueue({ atOnce: 2, unknownAtOnce: availableParallelism() > 2 ? 2 : 1, waiting: 20 });
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const base64 = (octets: Uint8Array) => Buffer.from(octets).toString('base64').replaceAll('=', '');

function hashInTurn(lane: Lane, ...given: Parameters<typeof argon2Async>): Promise<Buffer> {
  const hashed = hashing.run(lane, () => argon2Async(...given));
  if (hashed === undefined) throw new ApiError('TOO_BUSY', { seconds: RETRY_AFTER_SECONDS });
  return hashed;
}

/** Argon2id in the PHC string format, which allows raising the cost later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_OCTETS);
  const tag = await hashInTurn('signed-in', 'argon2id', { message: password, nonce, ...COST });
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** `lane`: whether the caller is signed in. Throws `TOO_BUSY` when the hashing queue is full. */
export async function isPassword(password: string, stored: string, lane: Lane): Promise<boolean> {
  const match = PHC.exec(stored);
  if (match === null) return false;
  const [, memory, passes, parallelism, nonce = '', expected = ''] = match;
  const wanted = Buffer.from(expected, 'base64');
  const tag = await hashInTurn(lane, 'argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: wanted.length,
  });
  return timingSafeEqual(tag, wanted);
}

const FORMAT = 1;

/** Argon2id of an octet string: format octet, salt, tag. Secrets of a set share a salt, so one hash compares with all. */
export async function hashOctets(message: Uint8Array, salt: Uint8Array, lane: Lane): Promise<Buffer> {
  const tag = await hashInTurn(lane, 'argon2id', { message, nonce: salt, ...COST });
  return Buffer.concat([Buffer.of(FORMAT), salt, tag]);
}

export const newSalt = (): Buffer => randomBytes(SALT_OCTETS);

/** Salt of a hash; undefined when `hashOctets` did not create it. */
export const saltOf = (hash: Uint8Array): Uint8Array | undefined =>
  hash.length === 1 + SALT_OCTETS + COST.tagLength && hash[0] === FORMAT ? hash.subarray(1, 1 + SALT_OCTETS) : undefined;

const SETS = ['abcdefghijkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '-+=%@#'];
/** 133 random bits. */
const GENERATED_LENGTH = 24;

/** Generates an initial password that meets the password rule, without look-alike characters. */
export function generatePassword(): string {
  const pick = (set: string) => set.charAt(randomInt(set.length));
  const letters = SETS.map(pick);
  while (letters.length < GENERATED_LENGTH) letters.push(pick(SETS.join('')));
  for (let i = letters.length - 1; i > 0; i--) {
    const j = randomInt(i + 1);
    [letters[i], letters[j]] = [letters[j] ?? '', letters[i] ?? ''];
  }
  return letters.join('');
}
