/** `npm run proof:nodes`: several head-ends on one database are killed, restarted and cut off; prints what was counted. */
import { parseArgs } from 'node:util';
import { say, sayOn } from '../lib/say.mjs';
import { Cluster } from './cluster.ts';
import { judgeAll } from './judged.ts';
import type { Proof, Verdict } from './proof.ts';
import { PROOFS, PROOFS_OF_ROLES } from './proofs.ts';

const HELP = `npm run proof:nodes -- [--only T1,…] [--seeds N] [--nodes N | --roles …] [--dcus N] [--meters N] [--keep] [--json]

Starts one PostgreSQL, several head-ends, a balancer before their DLMS ports and a simulated fleet, and runs the proofs of
"several machines" on them. In the end the judge of the chaos campaign compares what is stored with what the field knows.

  --only T1,…   these proofs; default: all
  --seeds N     repetitions of each proof with other victims; default: 1
  --nodes N     head-ends with all roles; default: 3
  --roles …     head-ends with these roles instead, for the proof of divided work: web,field,field,web+analysis
  --dcus N      simulated DCUs; default: 200
  --meters N    meters of each DCU; default: 4
  --keep        keeps the folder with the logs of the head-ends
  --json        one line: {"proofs":n,"passed":n,"failed":n,"skipped":n,"results":[…]}

Exit code 0: none failed and one at least passed, 1: otherwise. A proof that breaks off has failed, and those after it run all the same.
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '3' },
    roles: { type: 'string' },
    dcus: { type: 'string', default: '200' },
    meters: { type: 'string', default: '4' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const JUDGE = { id: 'judge', title: 'nothing is lost, stored twice, invented or switched twice in all of them' };

/** A proof that breaks off has failed. */
async function verdictOf(cluster: Cluster, { run, seed }: Pick<Proof, 'run'> & { seed: number }): Promise<Verdict> {
  try {
    return await run(cluster, seed);
  } catch (error) {
    return { passed: false, counts: { brokeOff: error instanceof Error ? error.message : String(error) } };
  } finally {
    await cluster.repair();
  }
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.json) sayOn(process.stderr);
  const only = values.only?.split(',');
  const divided = values.roles?.split(',').map((roles) => roles.replaceAll('+', ','));
  const proofs = (divided === undefined ? PROOFS : PROOFS_OF_ROLES).filter(({ id }) => only?.includes(id) ?? true);
  const results: object[] = [];
  const numbers = { passed: 0, failed: 0, skipped: 0 };
  const note = ({ id, title }: Pick<Proof, 'id' | 'title'>, seed: number, verdict: Verdict): void => {
    const end = 'skipped' in verdict ? 'skipped' : verdict.passed ? 'passed' : 'failed';
    numbers[end]++;
    results.push({ id, seed, ...verdict });
    const what = 'skipped' in verdict ? verdict.skipped : JSON.stringify(verdict.counts);
    say(`${end === 'failed' ? 'FAILED' : end} ${id} (${title}), seed ${seed}: ${what}`);
  };
  const cluster = new Cluster({
    roles: divided ?? Array<string>(Number(values.nodes)).fill(''),
    dcus: Number(values.dcus),
    meters: Number(values.meters),
  });
  try {
    await cluster.start();
    for (let seed = 1; seed <= Number(values.seeds); seed++)
      for (const proof of proofs) note(proof, seed, await verdictOf(cluster, { run: proof.run, seed }));
    note(JUDGE, Number(values.seeds), await judgeAll(cluster));
  } finally {
    await cluster.stop();
    if (values.keep) say(`logs: ${cluster.folder}`);
    else cluster.remove();
  }
  const count = proofs.length * Number(values.seeds) + 1;
  say(`${numbers.passed} of ${count} passed${numbers.skipped > 0 ? `, ${numbers.skipped} skipped` : ''}`);
  if (values.json) process.stdout.write(`${JSON.stringify({ proofs: count, ...numbers, results })}\n`);
  return numbers.failed === 0 && numbers.passed > 0 ? 0 : 1;
}

process.exitCode = await main();
