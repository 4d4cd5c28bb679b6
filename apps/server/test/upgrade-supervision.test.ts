import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startSupervisor } from '../src/features/upgrade/job/supervisor.ts';
import type { PeriodicJob } from '../src/platform/periodic-job.ts';
import { lockInTransactionOf } from '../src/db/advisory-locks.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let engineer: TestUser;
let supervisor: PeriodicJob;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  engineer = await app.addUser({ roles: ['FW_ENGINEER'] });
  supervisor = startSupervisor(app.ctx);
});
afterAll(async () => {
  await supervisor.stop();
  await app.close();
});

const query = async <T extends object>(text: string, values: unknown[] = []) => (await app.ctx.pool.query<T>(text, values)).rows;

/** An upgrade that runs, of nothing yet. */
async function upgrade({ concurrency = 10, perDcu = 1 } = {}): Promise<string> {
  const [made] = await query<{ id: string }>(
    `with file as (
      insert into firmware_file (name, size, sha256, format) values ('f.bin', 1, 'x', 'bin') returning id
    ), image as (
      insert into firmware (name, version, upgrade_protocol, supplier_id, target_kind, type_ids, image_identifier, block_size, upgrade_reason,
        file_provider, file_id, created_by, touched_by)
      select 'F', file.id::text, 'dlms_image', s.id, 'meter', '{}', 'x', 256, 'x', 'x', file.id, $1, array[$1::bigint] from file, (select id from supplier limit 1) as s
      returning id
    )
    insert into upgrade_job (name, reason, firmware_id, target_kind, rings, continue_by, watch_minutes, concurrency, per_dcu, halt_rule, created_by)
    select 'J', 'x', image.id, 'meter', 1, 'itself', 0, $2, $3, '{"failPercent":100,"silentPercent":100,"readDropPercent":100}', $1 from image returning id`,
    [engineer.id, concurrency, perDcu],
  );
  if (made === undefined) throw new Error('Nothing was made');
  return made.id;
}

/** Upgrade of one failed meter whose end is not recorded yet. */
async function failedUpgrade(): Promise<{ jobId: string; recordId: string }> {
  const jobId = await upgrade();
  const [made] = await query<{ id: string }>(
    `insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, new_version, status, reason_code)
    select $1, 'meter', 'meter', id, dcu_id, 1, '2', 'error', 'IMAGE_VERIFY_FAILED' from meter order by id limit 1 returning id`,
    [jobId],
  );
  return { jobId, recordId: made?.id ?? '' };
}

test('a retry at the moment its upgrade finishes is executed, and not left idle in a finished upgrade', async () => {
  const supervising = await app.ctx.pool.connect();
  await supervising.query('begin');
  await lockInTransactionOf(supervising, 'upgradeSupervision');
  const { jobId, recordId } = await failedUpgrade();
  // A pass of the supervisor, paused halfway.
  await supervising.query("update upgrade_job set state = 'finished', finished_at = now() where id = $1", [jobId]);
  let isAnswered = false;
  const retrying = app
    .call(engineer, { method: 'POST', url: '/api/upgrade/record/retry', payload: { ids: [recordId], from: 'start' } })
    .finally(() => (isAnswered = true));
  await vi.waitFor(async () => {
    const waiting = await query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
    expect(isAnswered || waiting.length > 0).toBe(true);
  });
  await supervising.query('commit');
  supervising.release();
  const answer = await retrying;
  expect(answer.statusCode, answer.body).toBe(202);
  await supervisor.runNow();
  expect(
    await query('select j.state, r.status from upgrade_job j join upgrade_record r on r.job_id = j.id where j.id = $1', [jobId]),
  ).toEqual([{ state: 'running', status: 'idle' }]);
});

test('no more devices of one DCU are at work than an upgrade may have there, and no more in all', async () => {
  await query('delete from upgrade_record');
  await query("update dcu set online_status = 'online'");
  const jobId = await upgrade({ concurrency: 3, perDcu: 1 });
  await query(
    `insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, new_version)
    select $1, 'meter', 'meter', id, dcu_id, 1, '2' from meter`,
    [jobId],
  );
  const released = () =>
    query<{ dcus: number; meters: number }>(
      'select count(distinct dcu_id)::int as dcus, count(*)::int as meters from upgrade_record where job_id = $1 and released_at is not null',
      [jobId],
    );
  await supervisor.runNow();
  expect(await released()).toEqual([{ dcus: 2, meters: 2 }]);
  await query('update upgrade_job set per_dcu = 2 where id = $1', [jobId]);
  await supervisor.runNow();
  expect(await released()).toEqual([{ dcus: 2, meters: 3 }]);
});

test('a retry is not halted by what failed before it, and halts when it fails again', async () => {
  await query('delete from upgrade_record');
  const jobId = await upgrade();
  await query(
    `update upgrade_job set state = 'finished', halt_rule = '{"failPercent":5,"silentPercent":100,"readDropPercent":100}' where id = $1`,
    [jobId],
  );
  const [first] = await query<{ id: string }>(
    `insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, new_version, status, reason_code)
    select $1, 'meter', 'meter', id, dcu_id, 1, '2', 'error', 'IMAGE_VERIFY_FAILED' from meter returning id`,
    [jobId],
  );
  const lookAt = async () => {
    await supervisor.runNow();
    return (await query<{ state: string }>('select state from upgrade_job where id = $1', [jobId]))[0]?.state;
  };
  const answer = await app.call(engineer, { method: 'POST', url: '/api/upgrade/record/retry', payload: { ids: [first?.id] } });
  expect(answer.statusCode, answer.body).toBe(202);
  expect(await lookAt()).toBe('running');
  await query("update upgrade_record set status = 'error', reason_code = 'IMAGE_VERIFY_FAILED' where id = $1", [first?.id]);
  expect(await lookAt()).toBe('halted');
});
