/** `npm run audit-readings -- --sample 20`: compares stored readings with the buffers of their meters, through a running server. */
import { parseArgs } from 'node:util';
import { signIn } from './api.ts';
import { orderAudit, type Order } from './order.ts';
import { exitCodeOf, reportOf, summaryOf } from './report.ts';

const HELP = `npm run audit-readings -- (--sample N [--seed N] | --meter SN --from YYYY-MM-DD --to YYYY-MM-DD) [options]

Reads the buffers of meters again and reports differences from the stored readings, which stay unchanged.

  --sample N     meters drawn at random, each on one of the last 14 days
  --seed N       the same seed draws the same sample; default: 1
  --meter SN     one meter, on all days from --from to --to (at most 31)
  --url URL      of the server; default: http://127.0.0.1:8080
  --user NAME    signs in with the password in HES_PASSWORD; default: admin
  --otp CODE     of the second factor, if the user has one
  --wait N       minutes to wait for the meters; default: 60
  --json         prints one JSON document instead of the table

Exit code 0: no difference, 1: at least one, 2: the comparison failed.`;

const OPTIONS = {
  sample: { type: 'string' },
  seed: { type: 'string' },
  meter: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  user: { type: 'string', default: 'admin' },
  otp: { type: 'string' },
  wait: { type: 'string', default: '60' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

interface Wanted {
  sample?: string | undefined;
  seed?: string | undefined;
  meter?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The order of the options; undefined without a sample and without a meter with days. */
function orderOf({ sample, seed = '1', meter, from, to }: Wanted): Order | undefined {
  if (sample !== undefined) return { sample: Number(sample), seed: Number(seed) };
  return meter === undefined || from === undefined || to === undefined ? undefined : { meterSn: meter, from, to };
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  const order = orderOf(values);
  if (values.help || order === undefined) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const password = process.env['HES_PASSWORD'] ?? '';
  const api = await signIn(values.url, { username: values.user, password, otp: values.otp });
  const audits = await orderAudit(api, order, Number(values.wait) * 60_000);
  const summary = summaryOf(audits);
  console.log(values.json ? JSON.stringify({ ...summary, meters: audits }) : reportOf(audits, summary));
  return exitCodeOf(summary);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
