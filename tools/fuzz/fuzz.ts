/** `npm run fuzz -- <target> --seconds N`: feeds mutated messages to the decoders. */
import { parseArgs } from 'node:util';
import { fuzz, type Campaign } from './campaign.ts';
import { corpusOf, keepRegression } from './corpus.ts';
import { TARGETS } from './targets.ts';

const HELP = `npm run fuzz -- <target> [--seconds N] [--executions N] [--seed N]

Runs damaged copies of tools/fuzz/corpus/<target>/*.hex through a decoder. Failing inputs are written to
tools/fuzz/regressions/<target>/, which npm test replays. "all" runs every target.

Targets: ${Object.keys(TARGETS).join(', ')}`;

const number = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text);
  if (!(value > 0)) throw new RangeError(`Expected a positive number, got: ${text}`);
  return value;
};

function report(name: string, seed: number, campaign: Campaign): void {
  const rate = Math.round(campaign.executions / campaign.seconds);
  console.log(
    `${name}: ${campaign.executions} executions in ${campaign.seconds.toFixed(1)} s (${rate}/s), seed ${seed}, ` +
      `${campaign.accepted} read, ${campaign.endings} ways to end, slowest ${campaign.slowestMs.toFixed(2)} ms, ` +
      `memory ${campaign.memoryFactor.toFixed(1)} × input, ${campaign.findings.length} findings`,
  );
  for (const { input, why } of campaign.findings) console.log(`  ${keepRegression(name, input)} (${input.length} octets): ${why}`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string' }, executions: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  const [wanted] = positionals;
  if (values.help === true || wanted === undefined) {
    console.log(HELP);
    return wanted === undefined && values.help !== true ? 2 : 0;
  }
  const names = wanted === 'all' ? Object.keys(TARGETS) : [wanted];
  const limits = {
    seconds: number(values.seconds, values.executions === undefined ? 60 : Number.POSITIVE_INFINITY),
    executions: number(values.executions, Number.POSITIVE_INFINITY),
    seed: number(values.seed, Date.now() & 0x7fffffff || 1),
  };
  let broken = 0;
  for (const name of names) {
    const target = TARGETS[name];
    if (target === undefined) {
      console.error(`Unknown target "${name}". Known targets: ${Object.keys(TARGETS).join(', ')}`);
      return 2;
    }
    const campaign = await fuzz(target, corpusOf(name, target), limits);
    report(name, limits.seed, campaign);
    broken += campaign.findings.length;
  }
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main();
