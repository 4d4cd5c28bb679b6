import type { BlastRadius, RelayGuard } from '@hes/contract/action/relay.ts';
import { ASSUMED_POWER_W, mayAlone, modeAllows, type RelayOperation } from '@hes/contract/states/relay.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#db/context.ts';
import { Zone } from '#platform/zone.ts';
import { countAlone, findGuard, findSupplies, type Supply } from './list-queries.ts';

type Why = BlastRadius['excluded'][number]['why'];

/** Why a supply cannot be part of an order, as far as is known; the meter itself has the last word. */
function exclusionOf(supply: Supply, operation: RelayOperation): Why | undefined {
  if (!supply.hasRelay) return 'no_relay';
  if (supply.dcuId === null) return 'not_bound';
  return modeAllows(supply.mode, operation) ? undefined : 'mode';
}

export interface Judged {
  targets: Supply[];
  excluded: { supply: Supply; why: Why }[];
  needsApproval: boolean;
  /** Supplies this person may still switch alone in this hour. */
  aloneLeft: number;
  powerW: number;
  guard: RelayGuard;
}

export const powerOf = (supply: Supply): number => supply.powerW ?? ASSUMED_POWER_W;

/** Whom an order reaches, and whether one person may give it. Many small orders of one person count as one. */
export async function judgeOrder(
  ctx: Pick<Context, 'db' | 'secrets' | 'clock' | 'settings'>,
  user: User,
  meterIds: readonly string[],
  operation: RelayOperation,
): Promise<Judged> {
  const { db } = ctx;
  const unique = [...new Set(meterIds)];
  const [supplies, guard, alone] = await Promise.all([findSupplies(db, user, unique), findGuard(ctx), countAlone(db, user.id)]);
  const known = new Set(supplies.map(({ id }) => id));
  const missing = unique.find((id) => !known.has(id));
  if (missing !== undefined) throw new ApiError('METER_NOT_FOUND', { id: missing });
  const targets: Supply[] = [];
  const excluded: Judged['excluded'] = [];
  for (const supply of supplies) {
    const why = exclusionOf(supply, operation);
    if (why === undefined) targets.push(supply);
    else excluded.push({ supply, why });
  }
  const hour = new Zone(ctx.settings.timeZone).hourOf(ctx.clock.now());
  const takesTwo = operation === 'disconnect' && (targets.some((supply) => supply.takesTwo) || !mayAlone(guard, hour));
  const powerW = targets.reduce((sum, supply) => sum + powerOf(supply), 0);
  const aloneLeft = Math.max(0, guard.aloneUpTo - alone);
  return { targets, excluded, needsApproval: takesTwo || targets.length > aloneLeft, aloneLeft, powerW, guard };
}

export function radiusOf({ targets, excluded, needsApproval, aloneLeft, powerW, guard }: Judged): BlastRadius {
  return {
    meters: targets.length,
    customers: new Set(targets.map(({ customerNo, id }) => customerNo ?? id)).size,
    transformers: new Set(targets.map(({ transformerId }) => transformerId)).size,
    kw: powerW / 1000,
    protected: targets.filter(({ isProtected }) => isProtected).length,
    excluded: excluded.map(({ supply, why }) => ({ meterId: supply.id, sn: supply.sn, why })),
    targets: targets.map((supply) => {
      const { id: meterId, sn, address, isProtected, takesTwo } = supply;
      return {
        meterId,
        sn,
        customerName: supply.customerName ?? supply.customerNo,
        address,
        isProtected,
        takesTwo,
        kw: powerOf(supply) / 1000,
      };
    }),
    aloneLeft,
    needsApproval,
    isStopped: guard.stop !== null,
    left: { meters: Math.max(0, guard.maxMetersPerHour - guard.usedMeters), kw: Math.max(0, guard.maxKwPerHour - guard.usedKw) },
  };
}
