import { readFileSync, writeFileSync } from 'node:fs';
import { Meter } from 'dlms-node';

const FILE = 'counter.txt';
const SPAN = 1000;

/** Counters from a file. A span is reserved before it is used: after a crash some are skipped, and none is used twice. */
function countersOf(file: string): () => number {
  let next = 0;
  let end = 0;
  return () => {
    if (next === end) {
      next = readCounter(file);
      end = next + SPAN;
      writeFileSync(file, String(end), { flush: true });
    }
    return next++;
  };
}

function readCounter(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 1; // the first run
  }
}

await using meter = await Meter.connect({
  host: '127.0.0.1',
  port: 4059,
  keys: { ek: '000102030405060708090A0B0C0D0E0F', ak: 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF' },
  systemTitle: '4845530000000001', // ours, always the same: so the counter must never repeat
  meterTitle: '4845534D00000001', // the only meter that is accepted
  nextCounter: countersOf(FILE),
});
console.log((await meter.read('1.0.1.8.0.255')).unit, Number(readFileSync(FILE, 'utf8')) % SPAN);
