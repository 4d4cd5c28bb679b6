/**
 * Preloaded by the server: shifts its wall clock by the content of a file, which can be changed while it runs. The
 * monotonic clock is unchanged.
 */
import { readFileSync } from 'node:fs';
import { env } from 'node:process';

const file = env['HES_CLOCK_AHEAD_FILE'];
const READ_EVERY_MS = 50;
const RealDate = Date;
let aheadMs = 0;

function look() {
  try {
    aheadMs = Number(readFileSync(String(file), 'utf8')) || 0;
  } catch {
    // The file is being rewritten: the next read succeeds.
  }
}

if (file !== undefined) {
  look();
  setInterval(look, READ_EVERY_MS).unref();
  const now = () => RealDate.now() + aheadMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
