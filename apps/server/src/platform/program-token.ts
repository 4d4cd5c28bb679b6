import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Tokens begin with this, so that scanners for leaked secrets can recognise them. */
const PREFIX = 'hes';
const SECRET_OCTETS = 32;
const TOKEN = /^hes_(\d{1,18})_([A-Za-z0-9_-]{43})$/;

/** Secret of a new token: 256 random bits in base64url. */
export const newTokenSecret = (): string => randomBytes(SECRET_OCTETS).toString('base64url');

export const hashTokenSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The token as it is shown once. The id finds its row without a search by secret. */
export const writeProgramToken = (id: string, secret: string): string => `${PREFIX}_${id}_${secret}`;

/** Id and secret of a token, or undefined if the text is not one. */
export function readProgramToken(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares in constant time. */
export const isSecretOfHash = (secret: string, hash: Buffer): boolean => {
  const given = hashTokenSecret(secret);
  return given.length === hash.length && timingSafeEqual(given, hash);
};

const SUBJECT = 'program-token:';

/** Subject of an access token that was issued for a token. */
export const subjectOfToken = (id: string): string => `${SUBJECT}${id}`;
/** Token id in the subject of an access token; undefined: the subject is a session. */
export const tokenOfSubject = (subject: string): string | undefined =>
  subject.startsWith(SUBJECT) ? subject.slice(SUBJECT.length) : undefined;
