import type { BlastRadius, RelayLimitStatus } from '@hes/contract/action/relay.ts';
import { ASSUMED_POWER_W, isSoloHour, modeAllows, type RelayOperation } from '@hes/contract/action/relay-rules.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#db/context.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { countSolo, findLimitStatus, findSupplies, type Supply } from './list-queries.ts';

type Exclusion = BlastRadius['excluded'][number]['reason'];

/** Known reason for excluding a supply from an order; the meter itself may still refuse the command. */
function exclusionOf(supply: Supply, operation: RelayOperation): Exclusion | undefined {
  if (!supply.hasRelay) return 'no_relay';
  if (supply.dcuId === null) return 'not_bound';
  return modeAllows(supply.mode, operation) ? undefined : 'mode';
}

export interface Judged {
  targets: Supply[];
  excluded: { supply: Supply; reason: Exclusion }[];
  requiresApproval: boolean;
  /** Supplies that the user may still order without approval; orders of the last 60 minutes count. */
  soloRemaining: number;
  powerW: number;
  limits: RelayLimitStatus;
}

const powerOf = (supply: Supply): number => supply.powerW ?? ASSUMED_POWER_W;

/** Finds the supplies that an order reaches and whether it requires approval. Orders of one user in the last 60 minutes count together. */
export async function judgeOrder(
  ctx: Pick<Context, 'db' | 'secrets' | 'clock' | 'settings'>,
  user: User,
  meterIds: readonly string[],
  operation: RelayOperation,
): Promise<Judged> {
  const { db } = ctx;
  const unique = [...new Set(meterIds)];
  const [supplies, limits, alone] = await Promise.all([findSupplies(db, user, unique), findLimitStatus(ctx), countSolo(db, user.id)]);
  const known = new Set(supplies.map(({ id }) => id));
  const missing = unique.find((id) => !known.has(id));
  if (missing !== undefined) throw new ApiError('METER_NOT_FOUND', { id: missing });
  const targets: Supply[] = [];
  const excluded: Judged['excluded'] = [];
  for (const supply of supplies) {
    const reason = exclusionOf(supply, operation);
    if (reason === undefined) targets.push(supply);
    else excluded.push({ supply, reason });
  }
  const hour = new Zone(ctx.settings.timeZone).hourOf(ctx.clock.now());
  const isGuarded = operation === 'disconnect' && (targets.some((supply) => supply.requiresApproval) || !isSoloHour(limits, hour));
  const powerW = targets.reduce((sum, supply) => sum + powerOf(supply), 0);
  const soloRemaining = Math.max(0, limits.soloLimitPerHour - alone);
  return { targets, excluded, requiresApproval: isGuarded || targets.length > soloRemaining, soloRemaining, powerW, limits };
}

export function radiusOf({ targets, excluded, requiresApproval, soloRemaining, powerW, limits }: Judged): BlastRadius {
  return {
    meters: targets.length,
    customers: new Set(targets.map(({ customerNo, id }) => customerNo ?? id)).size,
    transformers: new Set(targets.map(({ transformerId }) => transformerId)).size,
    kw: powerW / 1000,
    protected: targets.filter(({ isProtected }) => isProtected).length,
    excluded: excluded.map(({ supply, reason }) => ({ meterId: supply.id, sn: supply.sn, reason })),
    targets: targets.map((supply) => {
      const { id: meterId, sn, address, isProtected, requiresApproval } = supply;
      return {
        meterId,
        sn,
        customerName: supply.customerName ?? supply.customerNo,
        address,
        isProtected,
        requiresApproval,
        kw: powerOf(supply) / 1000,
      };
    }),
    soloRemaining,
    requiresApproval,
    isStopped: limits.stop !== null,
    remaining: {
      meters: Math.max(0, limits.maxMetersPerHour - limits.usedMetersLastHour),
      kw: Math.max(0, limits.maxKwPerHour - limits.usedKwLastHour),
    },
  };
}
