import { pino, type Logger } from 'pino';
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

/** Deeper causes are left out: an error may be its own cause. */
const DEEPEST = 5;

/** Errors with their causes and the codes of Node and PostgreSQL, also in lists; other values as they are. */
function withErrors(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return String(value);
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((one) => withErrors(one, depth + 1));
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause, code, detail } = value as Error & { code?: unknown; detail?: unknown }; // as: Node and PostgreSQL add them
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
    stack,
    ...(cause === undefined ? {} : { cause: withErrors(cause, depth + 1) }),
    ...(value instanceof AggregateError ? { errors: withErrors(value.errors, depth + 1) } : {}),
  };
}

const withErrorsIn = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, withErrors(value)]));

/** Characters that JSON does not escape: DEL, C1 controls, line separators and bidirectional marks. */
const UNPRINTABLE = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;
export const escapeUnprintable = (json: string) =>
  json.replaceAll(UNPRINTABLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

const logOf = (logger: Logger): Log => ({
  debug: (message, fields = {}) => logger.debug(fields, message),
  info: (message, fields = {}) => logger.info(fields, message),
  warn: (message, fields = {}) => logger.warn(fields, message),
  error: (message, fields = {}) => logger.error(fields, message),
  child: (fields) => logOf(logger.child(fields)),
});

/** A log that writes lines of JSON; each ends with a line feed. */
export function createLog(level: LogLevel, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  return logOf(
    pino(
      {
        level,
        base: null,
        messageKey: 'message',
        timestamp: () => `,"at":"${new Date(systemClock.now()).toISOString()}"`,
        formatters: { level: (name) => ({ level: name }), log: withErrorsIn },
      },
      { write: (line: string) => write(escapeUnprintable(line)) },
    ),
  );
}

export const silentLog: Log = createLog('silent', () => undefined);
