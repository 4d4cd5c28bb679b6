import { readFileSync } from 'node:fs';
import { splitList } from '@hes/contract/transfer/split-list.ts';
import { hostileFiles } from '../../apps/server/test/hostile-files.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY, benchKey, signInMany } from './bench-users.ts';
import { startHeadEnd } from './head-end-process.ts';
import { openScratchDatabase } from './scratch-database.ts';

const METERS = Number(process.env['HES_BENCH_METERS'] ?? 1_000_000);
const WRONG_EVERY = 100;
const GATE_MB = 300;
const HOSTILE = 300;
const SAMPLE_MS = 200;

const HEAD = 'sn,typeCode,communicationMode,phase,customerNo,customerName,address\n';

/** The list as read from disk: every hundredth line names an unknown type. */
async function* million(): AsyncGenerator<string> {
  let text = HEAD;
  for (let n = 1; n <= METERS; n++) {
    const type = n % WRONG_EVERY === 0 ? 'NOBODY' : 'BENCH';
    text += `${String(n).padStart(12, '0')},${type},${n % 4 === 0 ? 'rf' : 'plc'},${'ABC'[n % 3]},C${n},"Customer ""${n}""",Street ${n % 977}\n`;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;

/** Imports a million meters through preview and import, part by part, and three hundred invalid files. */
export async function importMillion() {
  const database = await openScratchDatabase();
  const db = openDb(database.pool, benchKey());
  await seed(db, { adminPassword: BENCH_PASSWORD });
  await database.pool.query(`insert into supplier (code, name) values ('BENCH', 'Bench')`);
  await database.pool.query(`insert into meter_type (code, name, supplier_id, profile_id, phase)
    select 'BENCH', 'Bench', s.id, p.id, '1p2w' from supplier s, southbound_profile p where p.device_kind = 'meter' limit 1`);
  const headEnd = await startHeadEnd({ DATABASE_URL: database.url, HES_DATA_DIR: database.folder, HES_MASTER_KEY: BENCH_MASTER_KEY });
  const before = residentMb(headEnd.pid);
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, residentMb(headEnd.pid))), SAMPLE_MS);
  let token = '';
  /** An access token expires after 15 minutes. */
  const renew = async () => (token = (await signInMany(database.pool, db, 1))[0]?.token ?? '');
  const call = async (path: string, body?: string | Buffer) => {
    const answer = await fetch(`${headEnd.address}/api/import/meter${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': body === undefined ? 'application/json' : 'application/octet-stream' },
      body: typeof body === 'string' ? body : body === undefined ? '{}' : new Uint8Array(body),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { id: string; total: number; new: number; errors: number; detail?: string },
    }; // as: of the contract
  };
  try {
    const judged = { lines: 0, errors: 0 };
    const parts: string[] = [];
    const begun = performance.now();
    for await (const { text, firstLine } of splitList(million())) {
      await renew();
      const { status, body } = await call(`?name=meters.csv&firstLine=${firstLine}`, text);
      if (status !== 200) throw new Error(`Line ${firstLine}: ${status} ${body.detail}`);
      judged.lines += body.total;
      judged.errors += body.errors;
      parts.push(body.id);
    }
    const judgedS = (performance.now() - begun) / 1000;
    let imported = 0;
    for (const id of parts) {
      await renew();
      imported += (await call(`/${id}/commit`)).body.new;
    }
    const importedS = (performance.now() - begun) / 1000 - judgedS;
    const grownMb = peak - before;
    let refused = 0;
    for await (const { kind, content } of hostileFiles(1, HOSTILE)) {
      if (refused % 50 === 0) await renew();
      const { status, body } = await call('?name=hostile.csv', content);
      if (status >= 500 || (status === 200 && body.new > 0)) throw new Error(`${kind}: ${status} ${body.detail}`);
      refused++;
    }
    const found = await database.pool.query<{ rows: number }>('select count(*)::int as rows from meter');
    const right = METERS - Math.floor(METERS / WRONG_EVERY);
    if (judged.lines !== METERS || judged.errors !== METERS - right || imported !== right || found.rows[0]?.rows !== right)
      throw new Error(`Wrong counts: ${JSON.stringify({ judged, imported, stored: found.rows[0]?.rows })}`);
    const round = (value: number) => Math.round(value * 10) / 10;
    return {
      ratio: GATE_MB / grownMb,
      lines: METERS,
      grownMb: round(grownMb),
      withHostileMb: round(peak - before),
      judgedS: round(judgedS),
      importedS: round(importedS),
      parts: parts.length,
      hostileRefused: refused,
    };
  } finally {
    clearInterval(timer);
    await headEnd.stop();
    await database.stop();
  }
}
