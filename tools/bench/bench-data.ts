/**
 * Loads a utility of a million meters behind ten thousand DCUs into a folder, for the benchmarks that need one.
 * npm run bench:data                             data/bench, or HES_BENCH_DATA_DIR
 * npm run bench:data -- --meters 50000 --dcus 500
 */
import { parseArgs } from 'node:util';
import { FULL } from './big-utility.ts';
import { openBenchDatabase } from './bench-database.ts';

const { values } = parseArgs({ options: { meters: { type: 'string' }, dcus: { type: 'string' } } });
const size = { meters: Number(values.meters ?? FULL.meters), dcus: Number(values.dcus ?? FULL.dcus) };
const begun = performance.now();
const tell = (line: string) => process.stderr.write(`${Math.round((performance.now() - begun) / 1000)} s  ${line}\n`);
const database = await openBenchDatabase(size, tell);
await database.stop();
tell('done');
