import type { PoolClient } from 'pg';
import type { Context } from '#platform/context.ts';
import { nextRun } from './schedule.ts';
import { TASK_CHANNEL } from './store.ts';

const LOOK_EVERY_MS = 5_000;
/** Head-ends that share a network must not all begin in the same second; plans of one head-end must, to be run together. */
const SPREAD_MS = Math.floor(Math.random() * 5_000);
/** Items nobody could do are given up; the next run asks for all that is missing anyway. */
const PATIENCE = '1 hour';

interface DuePlan {
  id: string;
  name: string;
  type: 'daily' | 'energy' | 'lpa' | 'lpb' | 'registers';
  schedule: string;
  lookBackDays: number;
  priority: number;
}

type PlanContext = Pick<Context, 'pool' | 'clock' | 'log' | 'settings'>;

/** Runs the collection plans. Plans that are due together become one task, so that a meter is opened once for all of them. */
export class Plans {
  readonly #ctx: PlanContext;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(ctx: PlanContext) {
    this.#ctx = { ...ctx, log: ctx.log.child({ part: 'plans' }) };
  }

  start(): void {
    this.#looking = this.#look();
    this.#timer = setInterval(() => (this.#looking = this.#looking.then(() => this.#look())), LOOK_EVERY_MS);
  }

  async #look(): Promise<void> {
    try {
      await runDuePlans(this.#ctx);
    } catch (error) {
      this.#ctx.log.warn('The plans could not be looked at', { error });
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}

/** Starts every plan that is due, in one transaction with its next run: a run happens once, whoever looks. */
export async function runDuePlans(ctx: PlanContext): Promise<void> {
  const client = await ctx.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const now = ctx.clock.now();
    const due = await client.query<DuePlan>(
      `select id, name, type, schedule, look_back_days as "lookBackDays", priority from collect_plan
       where enabled and (next_run_at is null or next_run_at <= $1) order by priority, id for update skip locked`,
      [new Date(now)],
    );
    for (const plans of Map.groupBy(due.rows, (plan) => `${plan.priority}/${plan.lookBackDays}`).values()) await queueRun(client, plans);
    for (const plan of due.rows) {
      const next = nextOf(ctx, plan, now);
      await client.query(
        'update collect_plan set last_run_at = $2, next_run_at = $3::timestamptz, enabled = enabled and $3::timestamptz is not null where id = $1',
        [plan.id, new Date(now), next],
      );
    }
    if (due.rows.length > 0) await client.query('select pg_notify($1, $2)', [TASK_CHANNEL, '']);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

function nextOf(ctx: PlanContext, plan: DuePlan, now: number): Date | null {
  try {
    const next = nextRun(plan.schedule, now, ctx.settings.timeZone);
    return next === undefined ? null : new Date(next + SPREAD_MS);
  } catch (error) {
    ctx.log.error('A plan has a schedule that cannot be read; it is switched off', { error, plan: plan.name });
    return null;
  }
}

/** One item for every meter in use, the longest unread first; a meter that still waits from the run before waits on there. */
async function queueRun(client: PoolClient, plans: DuePlan[]): Promise<void> {
  const [first] = plans;
  if (first === undefined) return;
  const profiles = plans.map((plan) => plan.type).filter((type) => type !== 'registers');
  if (profiles.length === 0) return;
  const params = { profiles, lookBackDays: first.lookBackDays };
  await client.query(
    `with waiting as (
      select distinct i.meter_id from task_item i join task t on t.id = i.task_id
      where i.kind = 'collect' and i.state in ('waiting', 'reading') and t.params->'profiles' @> $5::jsonb
    ), chosen as (
      select m.id, m.dcu_id, row_number() over (order by m.last_read_at nulls first, m.id) as k
      from meter m where m.inventory_state <> 'in_warehouse' and m.dcu_id is not null and m.id not in (select meter_id from waiting where meter_id is not null)
    ), made as (
      insert into task (kind, source, plan_id, title, params, total, priority, expires_at)
      select 'collect', 'plan', $1, $2, $3::jsonb, count(*), $4, now() + interval '${PATIENCE}' from chosen having count(*) > 0
      returning id
    )
    insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id)
    select made.id, 'collect', $4, 'meter', chosen.dcu_id, chosen.id from made, chosen order by chosen.k`,
    [first.id, plans.map((plan) => plan.name).join(', '), JSON.stringify(params), first.priority, JSON.stringify(profiles)],
  );
}
