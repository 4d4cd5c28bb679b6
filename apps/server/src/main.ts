import { watchLifeline } from './composition/lifeline.ts';
import { serviceManager } from './composition/service-manager.ts';
import type { RunningServer } from './composition/server.ts';
import { forgetSecrets, readConfig, type Config } from './platform/config.ts';
import { createLog, type Log } from './platform/log.ts';
import { collectGarbageWhenIdle } from './platform/idle-gc.ts';
import { withSecrets } from './platform/secrets-command.ts';
import { gatherSettings } from './platform/settings-sources.ts';
import { terminalLine } from './platform/terminal-log.ts';
import { StartError } from './platform/start-error.ts';

/** Besides the time to hand work over to other head-ends. */
const STOP_WITHIN_MS = 25_000;

const print = (line: string) => void process.stdout.write(`hes: ${line}\n`);

/** Prints an expected error as one sentence, and an unexpected one with its stack. */
function failStart(error: unknown): never {
  const text = error instanceof StartError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`hes: ${text}\n`);
  process.exit(1);
}

function printFirstSignIn(server: RunningServer): void {
  print(`Ready: ${server.url}`);
  const { username, generatedPassword } = server.first;
  if (username === undefined) return;
  print(
    `First sign-in: ${username} ${generatedPassword === undefined ? 'with the password of HES_ADMIN_PASSWORD' : `/ ${generatedPassword} (shown this once; to be changed at the first sign-in)`}`,
  );
}

/** Shuts down once, on the first signal, end of the launcher, or uncaught exception. Only SIGTERM hands work over first. */
function endWith(stop: RunningServer['stop'], drainMs: number, log: Log): (code: number, why: string) => void {
  let isEnding = false;
  return (code, why) => {
    const drains = why === 'SIGTERM';
    if (isEnding) return;
    isEnding = true;
    log.info('Stopping', { why });
    // Exits even if the shutdown hangs; the database then stops, because its lifeline closes.
    setTimeout(() => process.exit(code || 1), STOP_WITHIN_MS + (drains ? drainMs : 0)).unref();
    stop({ drains }).then(
      () => process.exit(code),
      () => process.exit(code || 1),
    );
  };
}

/** At a terminal, the lines of `info` would push the address and the first sign-in out of sight. */
function logFor({ logFormat, logLevel }: Pick<Config, 'logFormat' | 'logLevel'>): Log {
  const isTerminal = logFormat === 'auto' && process.stderr.isTTY;
  const write = isTerminal || logFormat === 'text' ? (line: string) => process.stderr.write(terminalLine(line)) : undefined;
  return createLog(logLevel ?? (isTerminal ? 'warn' : 'info'), write);
}

async function run(): Promise<void> {
  const config = readConfig(await withSecrets(gatherSettings(process.env, process.cwd())), process.cwd());
  forgetSecrets(process.env);
  const log = logFor(config);
  // Loaded after the settings are read, so that an invalid setting is reported immediately.
  const { startServer } = await import('./composition/server.ts');
  const manager = serviceManager(process.env, { log });
  const starting = startServer(config, log, print);
  const stop: RunningServer['stop'] = async (how) => {
    await manager.stopping();
    await (await starting.catch(() => undefined))?.stop(how);
  };
  const end = endWith(stop, config.drainMs + config.drainNoticeMs, log);
  process.on('SIGTERM', () => end(0, 'SIGTERM'));
  process.on('SIGINT', () => end(0, 'SIGINT'));
  process.on('SIGHUP', () => end(0, 'SIGHUP'));
  process.on('uncaughtException', (error) => {
    log.error('Uncaught exception', { error });
    end(1, 'fault');
  });
  if (config.lifelineFd !== undefined) watchLifeline(config.lifelineFd, () => end(0, 'launcher gone'));
  const server = await starting;
  printFirstSignIn(server);
  await manager.ready();
  manager.watch(server.answers);
  collectGarbageWhenIdle();
}

// A closed output pipe (`| head`) must not end the head-end.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
run().catch(failStart);
