import { TOKEN_STATE_TEXT, type ProgramRow, type TokenState } from '@hes/contract/manager/program.ts';
import { CHANGED_OUTSIDE, USER } from '#domain/states/tables.ts';
import type { Sign } from '#kit/state/sign.ts';
import { programTexts } from './program.messages.ts';

export const TOKEN: Record<TokenState, Sign> = {
  live: { shape: 'tick', tone: 'ok', text: TOKEN_STATE_TEXT.live, quiet: true },
  expired: { shape: 'dashed', tone: 'none', text: TOKEN_STATE_TEXT.expired },
  revoked: { shape: 'lock', tone: 'wait', text: TOKEN_STATE_TEXT.revoked },
};

const NO_TOKEN: Sign = { shape: 'dashed', tone: 'none', text: programTexts.noToken };
const ENDS_SOON: Sign = { shape: 'key', tone: 'amber', text: programTexts.endsSoon };
const SOON_MS = 14 * 86_400_000;

/** The single state of an account in a row; what stops the program comes first. */
export function signOfProgram({ isSealed, lock, liveTokens, expiresAt }: ProgramRow, now: number): Sign {
  if (!isSealed) return CHANGED_OUTSIDE;
  if (lock) return USER.locked;
  if (liveTokens === 0 || expiresAt === null) return NO_TOKEN;
  return Date.parse(expiresAt) - now < SOON_MS ? ENDS_SOON : USER.active;
}
