import type { Nonces } from '#db/nonces.ts';
import type { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import type { Directories } from '#features/people/external/directories.ts';
import type { RelyingParty } from '#features/people/security-key/relying-party.ts';
import type { AccessTokens } from '#platform/access-token.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import type { AttackAlarm } from './attack-alarm.ts';
import type { RefreshSecrets, RefreshToken } from './refresh-token.ts';

/** A session ends after this time without a refresh. */
export const IDLE_SECONDS = 12 * 3600;
export const LONGEST_SECONDS = 7 * 86_400;
export const HOUR_SECONDS = 3600;

export interface SignedIn {
  accessToken: string;
  /** Undefined if the browser keeps its cookie. */
  refresh: RefreshToken | undefined;
  /** New secret of a known browser. Undefined if the browser keeps its own. */
  browser: string | undefined;
  user: { id: string; username: string; name: string; mustChangePassword: boolean };
}

export interface Caller {
  ip: string;
  agent: string | undefined;
  /** Secret that the browser got at an earlier sign-in. */
  browser: string | undefined;
  /** The site that security keys are bound to; undefined: there are none. */
  party: RelyingParty | undefined;
}

/** An identity provider that vouches for a user. */
export interface Vouching {
  id: string;
  name: string;
  /** The provider's name of the session. */
  sid: string | undefined;
  /** Longest time of the session. */
  hours: number;
}

export interface AuthParts {
  tokens: AccessTokens;
  refreshSecrets: RefreshSecrets;
  sliders: Nonces;
  /** Tickets of callers who passed the password check but not yet the code. */
  tickets: Nonces;
  /** Rate limit by address and user name. */
  tries: SharedRateLimiter;
  /** Rate limit by address across all names. */
  addresses: RateLimiter;
  /** Rate limit of audit rows for unknown names. */
  unknownNames: RateLimiter;
  alarm: AttackAlarm;
  events: EventWriter;
  directories: Directories;
}
