/** `npm run chaos -- --seeds N --minutes M`: runs the product under faults and lets an offline judge verify its guarantees. */
import { appendFileSync, copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dayStart, localDay } from '../../apps/simulator/src/world/calendar.ts';
import { missingPrevious } from '../nodes/previous-release.ts';
import { say, sayOn } from '../lib/say.mjs';
import { pythonStack } from '../../packages/dlms-node/test/interop/tools.ts';
import { Campaign, foreignOf, LOOK_BACK_DAYS, planOf } from './campaign.ts';
import { completed, isClean, type Result } from './result.ts';
import { passDays } from './days.ts';
import { dump, noteMarks } from './dump.ts';
import { FAULTS as SPECS, isOfOneHeadEnd, NODE_FAULTS } from './faults.ts';
import { FOREIGN_TITLE, startForeign } from './foreign.ts';
import { historyIn, readHistory, type History } from './history.ts';
import { judge } from './judge.ts';
import type { Strike } from './inject.ts';
import { NodeCluster, type NodeClusterOptions } from './node-cluster.ts';
import { canMount, Product, type ProductOptions } from './product.ts';
import { strikeNodes } from './strike-nodes.ts';
import { strikeProduct } from './strike-product.ts';
import type { Subject, SubjectOptions } from './subject.ts';
import { seedsOnStarts } from './seeds-on-starts.ts';
import { passChange } from './summer-time.ts';

/** Needs its own clock, and thus a separate product for each seed. */
const SUMMER_TIME = 'summer-time';
/** Needs a disk that can be filled. */
const FULL_DISK = 'full-disk';
const FOREIGN = 'foreign-meter';
/** Needs the history of the repository. */
const MIXED_VERSIONS = 'mixed-versions';
/** Effects on neighbours can only be distinguished from a stopped queue while the database works. */
const ENDLESS = ['endless-blocks', 'endless-small-blocks', 'endless-octets'];
const FAULTS = [...Object.keys(SPECS), SUMMER_TIME];
const FAULTS_OF_NODES = Object.keys(NODE_FAULTS);
/** Faults of devices, which several head-ends have as well. */
const FAULTS_OF_DEVICES = Object.entries(SPECS).flatMap(([name, spec]) => (isOfOneHeadEnd(spec) ? [] : [name]));

const HELP = `npm run chaos -- [--seeds N] [--minutes M] [--fault name,name] [--first-seed N] [--scale DxM] [--direct N] [--only-direct] [--keep] [--json]
npm run chaos -- --nodes N [--fault name,name] [--each] [--seeds N] [--first-seed N] [--minutes M] [--scale DxM] [--direct N] [--keep] [--json]
npm run chaos -- --days N [--meters N] [--every MINUTES]
npm run chaos -- --judge history.jsonl

For each seed, server, database and simulated field start on scratch folders. All faults are active at once, in two waves,
while everything is read; observations of the field and acknowledgements of the product form the history, which is the only
input of the judge. The exit code is 0 without violations. With --days, days of collection are simulated at the speed of the
work, and the stored slots are counted against the due ones. --direct sets the number of direct meters beside the DCUs; with
--only-direct no DCU and no meter behind one has a fault, and the fleet has one DCU. With --nodes, N head-ends on one
PostgreSQL are tortured, behind a balancer; by default by all faults of nodes one after the other, with --each by each fault
alone. Seeds of faults of nodes share a start until one of them finds something: each reads days of its own and is judged by itself.

Faults: ${FAULTS.join(', ')}
Faults with --nodes: ${FAULTS_OF_NODES.join(', ')}, and those of devices`;

const SEEDS = 1;
const MINUTES = 600;
const MINUTE_MS = 60_000;

const SHOWN = 20;
const WORLD_SEED = 1;
const METERS = 1000;
const EVERY_MINUTES = 60;
/** Enough DCUs and meters for the separate targets of all faults. */
const SCALE = '16x8';
const SMALL_SCALE = '4x8';
/** Each head-end has some DCUs. */
const SCALE_OF_NODES = '9x6';
/** One DCU without faults: the world has no places for direct meters without one. */
const ONLY_DIRECT_SCALE = '1x4';
/** A direct meter of its own for each fault of a wave, and some without any. */
const DIRECT = 32;
const FEW_DIRECT = 8;
const FEW = 6;

const number = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text);
  if (!(value > 0)) throw new RangeError(`Expected a positive number, got: ${text}`);
  return value;
};

function report({ name, verdict: { violations, judged }, history }: Result): void {
  const { values, captures, freezes, registers, events, acknowledgements, counters, commands, kills, faults, strikes, blocks } = judged;
  say(
    `${name}: judged ${captures} captures and ${freezes} freezes with ${values} values, ${registers} registers, ${events} events, ${acknowledgements} acknowledgements, ${counters} counters, ${commands} commands`,
  );
  say(`after ${faults} faults with ${strikes} effects, with ${kills} kills and ${blocks} blocks`);
  const { slots, missing } = judged;
  if (slots > 0) say(`of ${slots} slots of reachable meters, ${missing} are missing (${((100 * missing) / slots).toFixed(4)} %)`);
  for (const { guarantee, what } of violations.slice(0, SHOWN)) say(`  ${guarantee}: ${what}`);
  if (violations.length > SHOWN) say(`  and ${violations.length - SHOWN} more`);
  if (captures + slots === 0) say('nothing was compared, which proves nothing');
  else say(violations.length === 0 ? 'nothing found' : `${violations.length} violations`);
  if (history !== null) say(`the history is kept in ${history}`);
}

interface Run {
  faults: readonly string[];
  seed: number;
  scale: string;
  direct: number;
  onlyDirect: boolean;
  keep: boolean;
  onSmallDisk?: boolean;
  /** For a product with some of the faults only. */
  title?: string;
  /** Number of head-ends. */
  nodes: number;
}

function productOf(options: ProductOptions): [Subject, Strike] {
  const product = new Product(options);
  return [product, (tools, draw) => strikeProduct(tools, product, draw)];
}

function clusterOf(options: NodeClusterOptions): [Subject, Strike] {
  const cluster = new NodeCluster(options);
  return [cluster, (tools, draw) => strikeNodes(tools, cluster, draw)];
}

/** Runs one product under all faults of a list and returns the verdict. */
async function torture({ faults, seed, scale, direct, onlyDirect, keep, onSmallDisk = false, title, nodes }: Run): Promise<Result> {
  const plan = planOf(WORLD_SEED, { names: faults, seed, scale, direct, onlyDirect });
  const sn = foreignOf(plan.draws);
  const options: SubjectOptions = {
    seed: WORLD_SEED,
    scale,
    direct,
    keep,
    commission: (file) => file.meters.forEach((meter) => meter.sn === sn && (meter.systemTitle = FOREIGN_TITLE)),
  };
  const [product, strike] =
    nodes > 1 ? clusterOf({ ...options, nodes, hasPrevious: faults.includes(MIXED_VERSIONS) }) : productOf({ ...options, onSmallDisk });
  const file = join(product.folder, 'history.jsonl');
  const tell = historyIn(file);
  const begun = Date.now();
  tell({ t: 'begin', seed: WORLD_SEED, scale, direct, at: begun });
  const foreign = sn === undefined ? undefined : await startForeign(WORLD_SEED, sn);
  if (foreign !== undefined && 'missing' in foreign) throw new Error(`${FOREIGN}: ${foreign.missing}`);
  try {
    await product.start(foreign === undefined ? undefined : { sn: sn ?? '', port: foreign.port });
    await new Campaign(product, tell, plan, strike).run();
    await noteMarks(product.pool, tell, dayStart(localDay(begun) - LOOK_BACK_DAYS + 1));
    await dump(product.pool, tell, product.now());
  } finally {
    await product.stop();
    foreign?.stop();
  }
  if (existsSync(product.oracleFile)) appendFileSync(file, readFileSync(product.oracleFile));
  const verdict = await judge(readHistory(file));
  let history: string | null = null;
  if (!isClean(verdict)) {
    history = `chaos-${begun}.jsonl`;
    copyFileSync(file, history);
    say(`the log of the product is in ${product.logFile}`);
  } else product.remove();
  return { name: title === undefined ? `seed ${seed}` : `seed ${seed} ${title}`, verdict, history };
}

/** Writes one history and returns its verdict. The history is kept if a violation was found. */
async function onFile(name: string, run: (tell: History) => Promise<void>): Promise<Result> {
  const file = `chaos-${name}-${Date.now()}.jsonl`;
  const begun = performance.now();
  await run(historyIn(file));
  say(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  const verdict = await judge(readHistory(file));
  if (isClean(verdict)) rmSync(file);
  return { name, verdict, history: isClean(verdict) ? null : file };
}

/** Faults that were left out, with the reasons. */
const leftOut: string[] = [];

/** The faults that this machine supports; others are left out by name, or refused if they were requested. */
async function possible(faults: readonly string[], isChosen: boolean): Promise<string[]> {
  const reasons = new Map<string, string>();
  if (faults.includes(FULL_DISK) && !canMount()) reasons.set(FULL_DISK, 'it needs the permission to mount a disk');
  if (faults.includes(FOREIGN)) {
    const python = await pythonStack('pydlms');
    if ('missing' in python) reasons.set(FOREIGN, python.missing);
  }
  if (faults.includes(MIXED_VERSIONS)) {
    const missing = missingPrevious();
    if (missing !== undefined) reasons.set(MIXED_VERSIONS, missing);
  }
  for (const [name, reason] of reasons) {
    if (isChosen) throw new Error(`${name} is not possible here: ${reason}`);
    leftOut.push(`${name}: ${reason}`);
    say(`${name} was left out: ${reason}`);
  }
  return faults.filter((name) => !reasons.has(name));
}

/** All runs of one seed. */
async function* seedOf(faults: readonly string[], run: Omit<Run, 'faults'>): AsyncGenerator<Result> {
  const ofOneProduct = faults.filter((name) => name !== SUMMER_TIME && name !== FULL_DISK);
  const tortured = (how: Pick<Run, 'faults'> & Partial<Run>) =>
    completed(`seed ${run.seed} ${how.title ?? ''}`.trim(), () => torture({ ...run, ...how }));
  if (ofOneProduct.length > 0) yield tortured({ faults: ofOneProduct });
  // A direct meter has no neighbour that could wait for it.
  if (!run.onlyDirect && faults.length > FEW && ENDLESS.every((name) => faults.includes(name)))
    yield tortured({ faults: ENDLESS, scale: SMALL_SCALE, direct: FEW_DIRECT, title: 'endless answers' });
  if (faults.includes(FULL_DISK)) yield tortured({ faults: [FULL_DISK], onSmallDisk: true, title: FULL_DISK });
  const change = `${SUMMER_TIME}-${run.seed}`;
  if (faults.includes(SUMMER_TIME) && !run.onlyDirect)
    yield completed(change, () => onFile(change, (tell) => passChange(run.seed, WORLD_SEED, tell)));
}

/** One line of JSON over all histories: their number, the compared data, and the violations of each. */
function summaryOf(results: readonly Result[]) {
  const judged: Record<string, number> = {};
  for (const { verdict } of results) for (const [name, count] of Object.entries(verdict.judged)) judged[name] = (judged[name] ?? 0) + count;
  const findings = results.flatMap(({ name, verdict, history }) =>
    verdict.violations.map((violation) => ({ run: name, ...violation, history })),
  );
  return { runs: results.length, clean: results.filter(({ verdict }) => isClean(verdict)).length, leftOut, judged, findings };
}

const OPTIONS = {
  seeds: { type: 'string' },
  'first-seed': { type: 'string' },
  minutes: { type: 'string' },
  nodes: { type: 'string' },
  fault: { type: 'string' },
  scale: { type: 'string' },
  direct: { type: 'string' },
  'only-direct': { type: 'boolean', default: false },
  each: { type: 'boolean', default: false },
  keep: { type: 'boolean' },
  json: { type: 'boolean', default: false },
  judge: { type: 'string' },
  days: { type: 'string' },
  meters: { type: 'string' },
  every: { type: 'string' },
  help: { type: 'boolean' },
} as const;

async function* resultsOf(values: ReturnType<typeof parse>): AsyncGenerator<Result> {
  if (values.judge !== undefined) {
    yield { name: values.judge, verdict: await judge(readHistory(values.judge)), history: null };
    return;
  }
  if (values.days !== undefined) {
    const days = number(values.days, 1);
    const run = { days, meters: number(values.meters, METERS), everyMinutes: number(values.every, EVERY_MINUTES), seed: WORLD_SEED };
    yield onFile('days', (tell) => passDays({ ...run, tell }));
    return;
  }
  const nodes = number(values.nodes, 1);
  const faults = await possible(values.fault?.split(',') ?? (nodes > 1 ? FAULTS_OF_NODES : FAULTS), values.fault !== undefined);
  const firstSeed = number(values['first-seed'], 1);
  const areOfNodes = nodes > 1 && faults.every((name) => FAULTS_OF_NODES.includes(name));
  const until = Date.now() + number(values.minutes, MINUTES) * MINUTE_MS;
  const onlyDirect = values['only-direct'];
  const isSmall = areOfNodes || faults.length <= FEW;
  const [besides, direct] = isSmall ? [SMALL_SCALE, FEW_DIRECT] : [SCALE, DIRECT];
  const scale = onlyDirect ? ONLY_DIRECT_SCALE : nodes > 1 && isSmall ? SCALE_OF_NODES : besides;
  const fleet = { scale: values.scale ?? scale, direct: values.direct === '0' ? 0 : number(values.direct, direct), onlyDirect };
  const keep = values.keep === true;
  function* seeds(): Generator<number> {
    for (let seed = firstSeed; seed < firstSeed + number(values.seeds, SEEDS) && Date.now() < until; seed++) yield seed;
  }
  if (areOfNodes)
    yield* seedsOnStarts({
      worldSeed: WORLD_SEED,
      groups: values.each ? faults.map((name) => [name]) : [faults],
      seeds: seeds(),
      fleet,
      keep,
      nodes,
    });
  else for (const seed of seeds()) yield* seedOf(faults, { seed, ...fleet, keep, nodes });
}

const parse = () => parseArgs({ options: OPTIONS }).values;

async function main(): Promise<number> {
  const values = parse();
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  if (values.json) sayOn(process.stderr);
  const known = number(values.nodes, 1) > 1 ? [...FAULTS_OF_NODES, ...FAULTS_OF_DEVICES] : FAULTS;
  const unknown = values.fault?.split(',').find((name) => !known.includes(name));
  if (unknown !== undefined) {
    console.error(`Unknown fault "${unknown}". Known faults: ${known.join(', ')}`);
    return 2;
  }
  const results: Result[] = [];
  for await (const result of resultsOf(values)) {
    report(result);
    results.push(result);
  }
  if (values.json) console.log(JSON.stringify(summaryOf(results)));
  return results.length > 0 && results.every(({ verdict }) => isClean(verdict)) ? 0 : 1;
}

process.exitCode = await main();
