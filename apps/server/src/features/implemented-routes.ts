import { WRAPPER_PORT } from '@hes/contract/asset/connection.ts';
import type { Implemented } from '#http/implement.ts';
import { createAccessTokens } from '#platform/access-token.ts';
import type { ChainAnchors } from '#db/chain-anchors.ts';
import type { Context } from '#db/context.ts';
import { Nonces, spendForeign } from '#db/nonces.ts';
import { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import { RateLimiter, type RateLimit } from '#platform/rate-limiter.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { featureRoutes } from '#features/feature-routes.ts';
import { billRoutes } from './billing/bill/routes.ts';
import { guardRoutes } from './people/guard/guard.ts';
import { heldCallRoutes } from './approval/held-call/routes.ts';
import { Directories } from './people/external/directories.ts';
import { externalRoutes } from './people/external/routes.ts';
import { ExternalSignIn } from './people/external/sign-in.ts';
import { FLOW_MINUTES } from './people/external/flow.ts';
import { KeyChallenges } from './people/security-key/challenges.ts';
import { relyingPartyOf } from './people/security-key/relying-party.ts';
import { secondFactorRoutes } from './people/second-factor/routes.ts';
import { sessionRoutes } from './people/session/routes.ts';
import { AttackAlarm } from './people/token/attack-alarm.ts';
import { createRefreshSecrets } from './people/token/refresh-token.ts';
import { ProgramSignIn } from './people/token/program-sign-in.ts';
import { tokenRoutes } from './people/token/routes.ts';
import { SignIn } from './people/token/service.ts';
import { connectingRoutes, type DlmsDoor, type StoredDemonstration } from './connecting/routes.ts';
import { routesOfAlarms } from './alarms/routes.ts';
import { feedRoutes } from './deliveries/feed/routes.ts';
import { FeedWaits } from './deliveries/feed/waits.ts';
import type { DeliveryReach } from './deliveries/senders/kinds/kind.ts';
import { senderRoutes } from './deliveries/senders/routes.ts';
import type { BackupState } from '@hes/contract/manager/backup.ts';
import { EXTERNAL_BACKUP, routesOfBackups } from './nodes/backup-routes.ts';
import { traceRoutes } from './diagnostics/trace/routes.ts';
import { dcuLogRoutes } from './diagnostics/dcu-log/routes.ts';
import { exportFileRoutes } from '#transfer/export/routes.ts';
import { healthRoutes, type Health } from './health/routes.ts';
import { auditRoutes } from './people/audit/routes.ts';
import { userRoutes } from './people/user/routes.ts';
import { readingRoutes } from './readings/routes.ts';
import { ReadingViews } from '#db/reading-views.ts';
import { whiteListRoutes } from './people/sign-in-page/routes.ts';

/** Far more than a user with a slider or a page that polls needs. */
const VISITS = { burst: 120, perSecond: 2 };
/** Sign-ins per address and name; more than a user who mistypes needs. */
const SIGN_INS = { burst: 10, perSecond: 0.2 };
/** Sign-ins per address; more than a shift behind one address needs. */
const SIGN_INS_OF_ADDRESS = { burst: 30, perSecond: 0.5 };
/** Audit entries of sign-ins with unknown names, for all addresses together. */
const UNKNOWN_NAMES = { burst: 30, perSecond: 0.1 };
/** Confirmations by password or code per user. */
const PROOFS = { burst: 30, perSecond: 1 };
const PASSWORD_CHANGES = { burst: 5, perSecond: 1 / 30 };
/** Changes of second factors per user, with a few late codes. */
const FACTOR_CHANGES = { burst: 10, perSecond: 1 / 10 };
const DEFAULT_DOOR: DlmsDoor = { host: '127.0.0.1', port: WRAPPER_PORT, tls: 'none' };
const NO_DEMONSTRATION: StoredDemonstration = {
  find: () => Promise.resolve(undefined),
  remove: () => undefined,
};
const SLIDER_MINUTES = 2;
/** Time for the user to fetch the phone. */
const TICKET_MINUTES = 5;

export interface RouteOptions extends Health {
  version: string;
  hasSecureCookies: boolean;
  /** Warnings on the sign-in page. */
  warnings: string[];
  /** Hosts that show the alternative logo. */
  logo?: { marker: string; address: string };
  /** Sessions by the ticket of their live socket. */
  liveTickets: Nonces;
  /** Number of head-ends on the database, which share the limits in memory. Absent: this one is alone. */
  livingNodes?: () => number;
  /** Limits the devices that one user may take offline; tests of other features have no limit. */
  silenceLimit?: RateLimit;
  /** Port and secret of the demonstration's simulator. */
  simulator?: () => { port: number; secret: string } | undefined;
  /** The stored demonstration; absent in tests without one. */
  demonstration?: StoredDemonstration;
  /** What senders may reach; absent: addresses of the Internet. */
  deliveries?: DeliveryReach;
  /** Address of the console as browsers reach it; absent: that of each call. */
  publicUrl?: string | undefined;
  /** The DLMS port; absent: its default, for this machine only. */
  door?: () => DlmsDoor;
  /** Percentage of dialogues of successful collection whose frames are kept. Default: 100. */
  traceSharePercent?: number;
  /** How backups stand. Absent: as with an external database. */
  backups?: () => BackupState;
  /** Newest rows of audit log and command log, stored outside of the database. */
  anchors: ChainAnchors;
}

/** The implementations of all routes. */
export function implementedRoutes(ctx: Context, options: RouteOptions): Implemented[] {
  // Limits of calls are in memory, a share for each head-end; those of passwords and of orders that switch hold exactly over all.
  const share = (limit: RateLimit) => new RateLimiter(limit, ctx.clock, options.livingNodes);
  const sliders = new Nonces(ctx, { purpose: 'slider', minutes: SLIDER_MINUTES });
  const tokens = createAccessTokens(ctx.secrets, ctx.clock);
  const programs = new ProgramSignIn(ctx, tokens, share(SIGN_INS_OF_ADDRESS));
  const events = new EventWriter(ctx);
  const networks = options.deliveries?.networks ?? [];
  const directories = new Directories(ctx, networks);
  const signIn = new SignIn(ctx, {
    tokens,
    refreshSecrets: createRefreshSecrets(ctx.secrets),
    sliders,
    tickets: new Nonces(ctx, { purpose: 'second factor', minutes: TICKET_MINUTES }),
    tries: new SharedRateLimiter(ctx, 'sign-in', SIGN_INS),
    addresses: share(SIGN_INS_OF_ADDRESS),
    unknownNames: share(UNKNOWN_NAMES),
    alarm: new AttackAlarm(ctx, events),
    events,
    directories,
  });
  const externalSignIn = new ExternalSignIn(ctx, {
    signIn,
    states: new Nonces(ctx, { purpose: 'external sign-in', minutes: FLOW_MINUTES }),
    spendLogout: (jti, endsAt) => spendForeign(ctx, `logout ${jti}`, endsAt),
    addresses: share(VISITS),
    networks,
  });
  const consoleDoor = { isSecure: options.hasSecureCookies, publicUrl: options.publicUrl };
  const { version, warnings, logo = { marker: '', address: '' } } = options;
  const views = new ReadingViews(ctx.clock);
  const calls = new Map<string, Implemented>();
  const routes: Implemented[] = [
    ...healthRoutes(options),
    ...whiteListRoutes({ sliders, visits: share(VISITS), warnings, logo }),
    ...tokenRoutes(signIn, programs, consoleDoor),
    ...externalRoutes(ctx, externalSignIn, { ...consoleDoor, signIn, networks }),
    ...sessionRoutes(options.liveTickets),
    ...secondFactorRoutes({
      changes: new SharedRateLimiter(ctx, 'second-factor', FACTOR_CHANGES),
      proofs: new SharedRateLimiter(ctx, 'proof', PROOFS),
      keys: new KeyChallenges(ctx),
      directories,
      partyOf: (wire) => relyingPartyOf(options.publicUrl, wire, options.hasSecureCookies),
    }),
    ...userRoutes(new SharedRateLimiter(ctx, 'password', PASSWORD_CHANGES), version),
    ...auditRoutes(options.anchors),
    ...exportFileRoutes,
    ...readingRoutes(views),
    ...feedRoutes(views, new FeedWaits(ctx)),
    ...senderRoutes(options.deliveries ?? { networks: [], folder: undefined }, views),
    ...routesOfAlarms(options.deliveries?.networks ?? []),
    ...featureRoutes,
    ...billRoutes(views),
    ...routesOfBackups(options.backups ?? (() => EXTERNAL_BACKUP)),
    ...traceRoutes(options.traceSharePercent ?? 100),
    ...connectingRoutes(options.door ?? (() => DEFAULT_DOOR), options.demonstration ?? NO_DEMONSTRATION),
    ...dcuLogRoutes(options.simulator ?? (() => undefined)),
    ...heldCallRoutes(calls),
  ];
  for (const route of routes) calls.set(`${route.route.method} ${route.route.path}`, route);
  return guardRoutes(routes, ctx, options.silenceLimit);
}
