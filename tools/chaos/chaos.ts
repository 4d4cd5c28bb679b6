/** `npm run chaos -- --seeds N --minutes M`: tortures the product and lets an offline judge say whether it kept its word. */
import { appendFileSync, copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dayStart, localDay } from '../../apps/simulator/src/world/calendar.ts';
import { say } from '../lib/say.mjs';
import { Campaign } from './campaign.ts';
import { passDays } from './days.ts';
import { dump, noteMarks } from './dump.ts';
import { TROUBLES } from './faults.ts';
import { historyIn, readHistory, type History } from './history.ts';
import { judge, type Verdict } from './judge.ts';
import { canMount, Product } from './product.ts';
import { passChange } from './summer-time.ts';

/** It needs a clock of its own, so it has a product of its own for each of its seeds. */
const SUMMER_TIME = 'summer-time';
/** It needs a disk that can be filled. */
const FULL_DISK = 'full-disk';
const FAULTS = [...Object.keys(TROUBLES), SUMMER_TIME];

const HELP = `npm run chaos -- [--seeds N] [--minutes M] [--fault name,name] [--first-seed N] [--scale DxM] [--keep]
npm run chaos -- --days N [--meters N] [--every MINUTES]
npm run chaos -- --judge history.jsonl

Starts server, database and simulated field on scratch folders, injects each fault with each seed, kills what can be
killed at random instants, and writes down what the field has seen and what the product said. The judge reads only
that. The exit code is 0 when it finds nothing. With --days, days of collection pass as fast as the work is done, and what
is stored is counted against what was due.

Faults: ${FAULTS.join(', ')}`;

const SEEDS = 1;
const MINUTES = 30;
const MINUTE_MS = 60_000;
const LOOK_BACK_DAYS = 7;
const SHOWN = 20;
const WORLD_SEED = 1;
const METERS = 1000;
const EVERY_MINUTES = 60;

const number = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text);
  if (!(value > 0)) throw new RangeError(`Not a positive number: ${text}`);
  return value;
};

function report({ violations, judged }: Verdict): number {
  const { values, captures, acknowledgements, counters, commands, kills, faults, slots, missing } = judged;
  say(
    `judged ${captures} captures with ${values} values, ${acknowledgements} acknowledgements, ${counters} counters, ${commands} commands, after ${faults} faults with ${kills} kills`,
  );
  if (slots > 0)
    say(`of ${slots} slots of meters that could be reached, ${missing} are missing (${((100 * missing) / slots).toFixed(4)} %)`);
  for (const { guarantee, what } of violations.slice(0, SHOWN)) say(`  ${guarantee}: ${what}`);
  if (violations.length > SHOWN) say(`  and ${violations.length - SHOWN} more`);
  if (captures + slots === 0) say('nothing was looked at, which proves nothing');
  else say(violations.length === 0 ? 'nothing found' : `${violations.length} violations`);
  return violations.length === 0 && captures + slots > 0 ? 0 : 1;
}

interface Run {
  faults: readonly string[];
  firstSeed: number;
  seeds: number;
  minutes: number;
  scale: string;
  keep: boolean;
  onSmallDisk?: boolean;
}

/** One product, tortured until every fault had its seeds or the time is up. Answers the file of its history. */
async function torture({ faults, firstSeed, seeds, minutes, scale, keep, onSmallDisk = false }: Run): Promise<Verdict> {
  const product = new Product({ seed: WORLD_SEED, scale, keep, onSmallDisk });
  const file = join(product.folder, 'history.jsonl');
  const tell = historyIn(file);
  const begun = Date.now();
  tell({ t: 'begin', seed: WORLD_SEED, scale, at: begun });
  try {
    await product.start();
    const campaign = new Campaign(product, tell);
    await campaign.begin();
    const until = begun + minutes * MINUTE_MS;
    for (let seed = firstSeed; seed < firstSeed + seeds && Date.now() < until; seed++) {
      for (const fault of faults) {
        if (Date.now() > until) break;
        const at = performance.now();
        await campaign.episode(fault, seed);
        say(`${fault} ${seed}: ${((performance.now() - at) / 1000).toFixed(1)} s`);
      }
    }
    await campaign.finish();
    await noteMarks(product.pool, tell, dayStart(localDay(Date.now()) - LOOK_BACK_DAYS + 1));
    await dump(product.pool, tell);
  } finally {
    await product.stop();
  }
  if (existsSync(product.witnessFile)) appendFileSync(file, readFileSync(product.witnessFile));
  const verdict = await judge(readHistory(file));
  if (verdict.violations.length > 0) {
    const kept = `chaos-${begun}.jsonl`;
    copyFileSync(file, kept);
    say(`the history is kept in ${kept}, and the log of the product in ${product.logFile}`);
  } else product.remove();
  return verdict;
}

/** A run that writes one history, and what its judge says. The history is kept when something was found. */
async function onFile(name: string, run: (tell: History) => Promise<void>): Promise<number> {
  const file = `chaos-${name}-${Date.now()}.jsonl`;
  const begun = performance.now();
  await run(historyIn(file));
  say(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  const code = report(await judge(readHistory(file)));
  if (code === 0) rmSync(file);
  else say(`the history is kept in ${file}`);
  return code;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      'first-seed': { type: 'string' },
      minutes: { type: 'string' },
      fault: { type: 'string' },
      scale: { type: 'string' },
      keep: { type: 'boolean' },
      judge: { type: 'string' },
      days: { type: 'string' },
      meters: { type: 'string' },
      every: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  if (values.judge !== undefined) return report(await judge(readHistory(values.judge)));
  if (values.days !== undefined) {
    const days = {
      days: number(values.days, 1),
      meters: number(values.meters, METERS),
      everyMinutes: number(values.every, EVERY_MINUTES),
      seed: WORLD_SEED,
    };
    return onFile('days', (tell) => passDays({ ...days, tell }));
  }
  const faults = values.fault?.split(',') ?? FAULTS;
  const unknown = faults.find((name) => !FAULTS.includes(name));
  if (unknown !== undefined) {
    console.error(`There is no fault "${unknown}". There are: ${FAULTS.join(', ')}`);
    return 2;
  }
  const run = {
    faults: faults.filter((name) => name !== SUMMER_TIME && name !== FULL_DISK),
    firstSeed: number(values['first-seed'], 1),
    seeds: number(values.seeds, SEEDS),
    minutes: number(values.minutes, MINUTES),
    scale: values.scale ?? '8x16',
    keep: values.keep === true,
  };
  const codes: number[] = [];
  if (run.faults.length > 0) codes.push(report(await torture(run)));
  if (faults.includes(FULL_DISK)) {
    if (canMount()) codes.push(report(await torture({ ...run, faults: [FULL_DISK], onSmallDisk: true })));
    else if (values.fault === undefined) say(`${FULL_DISK} was left out: it needs the right to mount a disk`);
    else throw new Error(`${FULL_DISK} needs the right to mount a disk`);
  }
  if (faults.includes(SUMMER_TIME))
    for (let seed = run.firstSeed; seed < run.firstSeed + run.seeds; seed++)
      codes.push(await onFile(`${SUMMER_TIME}-${seed}`, (tell) => passChange(seed, WORLD_SEED, tell)));
  return Math.max(...codes);
}

process.exitCode = await main();
