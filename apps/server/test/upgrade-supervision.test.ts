import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startSupervisor, type Supervisor } from '../src/modules/upgrade/job/supervisor.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

/** Of the supervisor: whoever holds it looks after upgrades. */
const SUPERVISOR_LOCK = 4_059_024;

let app: TestApp;
let engineer: TestUser;
let supervisor: Supervisor;
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

/** An upgrade of one meter that went wrong, of which nobody has said yet that it is over. */
async function failedUpgrade(): Promise<{ jobId: string; recordId: string }> {
  const [made] = await query<{ jobId: string; recordId: string }>(
    `with file as (
      insert into firmware_file (name, size, sha256, format) values ('f.bin', 1, 'x', 'bin') returning id
    ), image as (
      insert into firmware (name, version, upgrade_protocol, supplier_id, target_kind, type_ids, image_identifier, block_size, upgrade_reason,
        file_provider, file_id, created_by, touched_by)
      select 'F', '2', 'dlms_image', s.id, 'meter', '{}', 'x', 256, 'x', 'x', file.id, $1, array[$1::bigint] from file, (select id from supplier limit 1) as s
      returning id
    ), job as (
      insert into upgrade_job (name, reason, firmware_id, target_kind, rings, continue_by, watch_minutes, concurrency, halt_rule, created_by)
      select 'J', 'x', image.id, 'meter', 1, 'itself', 0, 10, '{"failPercent":100,"silentPercent":100,"readDropPercent":100}', $1 from image returning id
    )
    insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, new_version, status, reason_code)
    select job.id, 'meter', 'meter', m.id, m.dcu_id, 1, '2', 'error', 'IMAGE_VERIFY_FAILED' from job, (select id, dcu_id from meter order by id limit 1) as m
    returning job_id as "jobId", id as "recordId"`,
    [engineer.id],
  );
  if (made === undefined) throw new Error('Nothing was made');
  return made;
}

test('what is retried at the moment its upgrade is finished is taken up, and not left idle in one that is over', async () => {
  const supervising = await app.ctx.pool.connect();
  await supervising.query('begin');
  await supervising.query('select pg_advisory_xact_lock($1)', [SUPERVISOR_LOCK]);
  const { jobId, recordId } = await failedUpgrade();
  // What the supervisor does, held still in the middle.
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
  await supervisor.look();
  expect(
    await query('select j.state, r.status from upgrade_job j join upgrade_record r on r.job_id = j.id where j.id = $1', [jobId]),
  ).toEqual([{ state: 'running', status: 'idle' }]);
});
