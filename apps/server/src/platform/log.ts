import { systemClock } from './clock.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Record<string, unknown>;

/**
 * One JSON object per line. `error`: an operator must act; `warn`: may become a problem; `info`: life cycle; `debug`: one line per round
 * trip. Never log keys, passwords, tokens or query strings.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Log;
}

function plain(value: unknown): unknown {
  if (!(value instanceof Error)) return typeof value === 'bigint' ? String(value) : value;
  return {
    name: value.name,
    message: value.message,
    stack: value.stack,
    ...(value.cause === undefined ? {} : { cause: plain(value.cause) }),
  };
}

/** Characters that JSON does not escape: DEL, C1 controls, line separators and bidirectional marks. */
const UNPRINTABLE = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;
const escapeUnprintable = (json: string) =>
  json.replaceAll(UNPRINTABLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
  base: LogFields = {},
): Log {
  const minimum = LOG_LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(name) < minimum) return;
      const line = { at: new Date(systemClock.now()).toISOString(), level: name, message, ...base, ...fields };
      write(`${escapeUnprintable(JSON.stringify(line, (_key, value) => plain(value)))}\n`);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createLog(level, write, { ...base, ...fields }),
  };
}

export const silentLog: Log = createLog('silent', () => undefined);
