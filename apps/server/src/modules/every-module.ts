import type { Implemented } from '#http/implement.ts';
import { createAccessTokens } from '#platform/access-token.ts';
import type { ChainAnchors } from '#db/chain-anchors.ts';
import type { Context } from '#platform/context.ts';
import { Nonces } from '#platform/nonces.ts';
import { RateLimiter, type RateLimit } from '#platform/rate-limiter.ts';
import { SignedNonces } from '#platform/signed-nonces.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { featureRoutes } from '#features/feature-routes.ts';
import { clockRoutes } from './action/clock/routes.ts';
import { eventReadRoutes } from './action/event-read/routes.ts';
import { approvalRoutes } from './action/approval/routes.ts';
import { dcuConfigRoutes } from './action/dcu-config/routes.ts';
import { readRoutes } from './action/read/routes.ts';
import { realTimeRoutes } from './action/real-time/routes.ts';
import { anomalyRoutes } from './analysis/anomaly/routes.ts';
import { balanceRoutes } from './analysis/balance/routes.ts';
import { billRoutes } from './analysis/bill/routes.ts';
import { phaseRoutes } from './analysis/phase/routes.ts';
import { priceRoutes } from './analysis/price/routes.ts';
import { archiveRoutes } from './asset/archive/routes.ts';
import { dcuRoutes } from './asset/dcu/routes.ts';
import { discoveryRoutes } from './asset/discovery/routes.ts';
import { keyRoutes } from './asset/keys/routes.ts';
import { meterRoutes } from './asset/meter/routes.ts';
import { dcuTypeRoutes } from './asset/dcu-type/routes.ts';
import { levelRoutes } from './asset/level/routes.ts';
import { meterTypeRoutes } from './asset/meter-type/routes.ts';
import { supplierRoutes } from './asset/supplier/routes.ts';
import { transformerRoutes } from './asset/transformer/routes.ts';
import { treeRoutes } from './asset/tree/routes.ts';
import { guardRoutes } from './auth/guard/guard.ts';
import { heldCallRoutes } from './auth/held-call/routes.ts';
import { secondFactorRoutes } from './auth/second-factor/routes.ts';
import { sessionRoutes } from './auth/session/routes.ts';
import { AttackAlarm } from './auth/token/attack-alarm.ts';
import { createRefreshSecrets } from './auth/token/refresh-token.ts';
import { tokenRoutes } from './auth/token/routes.ts';
import { SignIn, type Ticket } from './auth/token/service.ts';
import { dashboardCardRoutes, dashboardRoutes } from './dashboard/summary/routes.ts';
import { staModelRoutes } from './debug/sta-model/routes.ts';
import { topologySwitchRoutes } from './debug/topology-switch/routes.ts';
import { dcuLogRoutes } from './debug/dcu-log/routes.ts';
import { eventRoutes } from './event/event/routes.ts';
import { exportFileRoutes } from './export/export/routes.ts';
import { healthRoutes } from './health/health/routes.ts';
import { auditRoutes } from './manager/audit/routes.ts';
import { dictionaryRoutes } from './manager/dictionary/routes.ts';
import { moduleRoutes } from './manager/module/routes.ts';
import { preferenceRoutes } from './manager/preference/routes.ts';
import { roleRoutes } from './manager/role/routes.ts';
import { settingRoutes } from './manager/setting/routes.ts';
import { userRoutes } from './manager/user/routes.ts';
import { topologyRoutes } from './network/topology/routes.ts';
import { obisRoutes } from './reading/obis/routes.ts';
import { planRoutes } from './reading/plan/routes.ts';
import { gapRoutes } from './reading/reading/gap-routes.ts';
import { readingRoutes } from './reading/reading/routes.ts';
import { ReadingViews } from '#db/reading-views.ts';
import { taskRoutes } from './task/task/routes.ts';
import { traceRoutes } from './trace/trace/routes.ts';
import { firmwareRoutes } from './upgrade/firmware/routes.ts';
import { upgradeJobRoutes } from './upgrade/job/routes.ts';
import { upgradeRecordRoutes } from './upgrade/record/routes.ts';
import { whiteListRoutes } from './white/list/routes.ts';

/** A person with a slider, or a page that asks again: far above what either needs. */
const VISITS = { burst: 120, perSecond: 2 };
/** Of one address for one name; a person who mistypes does not reach it. */
const SIGN_INS = { burst: 10, perSecond: 0.2 };
/** Of one address for all names: a shift that signs in behind one address does not reach it. */
const SIGN_INS_OF_ADDRESS = { burst: 30, perSecond: 0.5 };
/** Audit rows of names that do not exist, of all addresses together. */
const UNKNOWN_NAMES = { burst: 30, perSecond: 0.1 };
/** Own passwords and codes before something dangerous, of one person. */
const PROOFS = { burst: 30, perSecond: 1 };
const PASSWORD_CHANGES = { burst: 5, perSecond: 1 / 30 };
/** Setting up a second factor, with a code or two that came too late. */
const FACTOR_CHANGES = { burst: 10, perSecond: 1 / 10 };
const SLIDER_MINUTES = 2;
/** Time to find the phone. */
const TICKET_MINUTES = 5;

export interface ModuleOptions {
  version: string;
  isReady(): boolean;
  hasSecureCookies: boolean;
  /** Sentences the sign-in page shows. */
  warnings: string[];
  /** Which hosts show the other logo; without it none does. */
  logo?: { marker: string; address: string };
  /** Session by ticket of the live socket. */
  liveTickets: Nonces<string>;
  /** Devices that one person takes out of reach; tests that are not about it have no limit. */
  silenceLimit?: RateLimit;
  /** Where the simulator of the demonstration is spoken to. */
  simulator?: () => { port: number; secret: string } | undefined;
  /** The newest rows of audit log and command log, as they are kept outside the database. */
  anchors: ChainAnchors;
}

/** Everything that answers a call, put together. */
export function everyModule(ctx: Context, options: ModuleOptions): Implemented[] {
  const sliders = new SignedNonces(ctx.clock, SLIDER_MINUTES);
  const signIn = new SignIn(ctx, {
    tokens: createAccessTokens(ctx.secrets, ctx.clock),
    refreshSecrets: createRefreshSecrets(ctx.secrets),
    sliders,
    tickets: new Nonces<Ticket>(ctx.clock, TICKET_MINUTES),
    tries: new RateLimiter(SIGN_INS, ctx.clock),
    addresses: new RateLimiter(SIGN_INS_OF_ADDRESS, ctx.clock),
    unknownNames: new RateLimiter(UNKNOWN_NAMES, ctx.clock),
    alarm: new AttackAlarm(ctx, new EventWriter(ctx)),
  });
  const { version, warnings, logo = { marker: '', address: '' } } = options;
  const views = new ReadingViews(ctx.clock);
  const calls = new Map<string, Implemented>();
  const routes: Implemented[] = [
    ...healthRoutes(options.isReady),
    ...whiteListRoutes({ sliders, visits: new RateLimiter(VISITS, ctx.clock), warnings, logo }),
    ...tokenRoutes(signIn, options.hasSecureCookies),
    ...sessionRoutes(options.liveTickets),
    ...secondFactorRoutes({ changes: new RateLimiter(FACTOR_CHANGES, ctx.clock), proofs: new RateLimiter(PROOFS, ctx.clock) }),
    ...moduleRoutes,
    ...userRoutes(new RateLimiter(PASSWORD_CHANGES, ctx.clock), version),
    ...roleRoutes,
    ...preferenceRoutes,
    ...auditRoutes(options.anchors),
    ...exportFileRoutes,
    ...settingRoutes,
    ...dictionaryRoutes,
    ...treeRoutes,
    ...transformerRoutes,
    ...supplierRoutes,
    ...meterTypeRoutes,
    ...levelRoutes,
    ...dcuTypeRoutes,
    ...dcuRoutes,
    ...keyRoutes,
    ...meterRoutes,
    ...archiveRoutes,
    ...discoveryRoutes,
    ...obisRoutes,
    ...planRoutes,
    ...readingRoutes(views),
    ...gapRoutes,
    ...readRoutes,
    ...realTimeRoutes,
    ...eventReadRoutes,
    ...clockRoutes,
    ...featureRoutes,
    ...dcuConfigRoutes,
    ...approvalRoutes,
    ...eventRoutes,
    ...billRoutes(views),
    ...balanceRoutes,
    ...anomalyRoutes,
    ...priceRoutes,
    ...phaseRoutes,
    ...firmwareRoutes,
    ...upgradeJobRoutes,
    ...upgradeRecordRoutes,
    ...taskRoutes,
    ...traceRoutes,
    ...dcuLogRoutes(options.simulator ?? (() => undefined)),
    ...dashboardRoutes,
    ...dashboardCardRoutes,
    ...topologyRoutes,
    ...staModelRoutes,
    ...topologySwitchRoutes,
    ...heldCallRoutes(calls),
  ];
  for (const route of routes) calls.set(`${route.route.method} ${route.route.path}`, route);
  return guardRoutes(routes, ctx.clock, options.silenceLimit);
}
