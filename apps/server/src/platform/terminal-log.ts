import { styleText } from 'node:util';
import { escapeUnprintable, type LogFields, type LogLevel } from './log.ts';

const STYLES = { debug: 'dim', info: 'dim', warn: 'yellow', error: 'red', silent: 'dim' } as const;
/** Fields that precede the others in a line of JSON. */
const HEAD = new Set(['at', 'level', 'message', 'part']);

/**
 * Values stay JSON, so that text from devices cannot move the cursor of a terminal. An error is its message and its causes; its stack is in
 * the lines of JSON only.
 */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return escapeUnprintable(JSON.stringify(value));
  const { message, code, cause, errors = [] } = value as { message?: unknown; code?: unknown; cause?: unknown; errors?: unknown[] }; // as: an error, as the log writes it
  // A connection that failed at each of several addresses has no message of its own.
  const own = message === '' && code !== undefined ? code : message;
  return [own, ...errors, ...(cause === undefined ? [] : [cause])].map(textOf).join(' because of ');
}

/** A line of the log for people at a terminal: local time, level, message, fields. `line`: one object of JSON. */
export function terminalLine(line: string): string {
  const fields = JSON.parse(line) as LogFields & { at: string; level: LogLevel; message: string }; // as: a line of our log
  const { at, level, message } = fields;
  const time = new Date(at).toLocaleTimeString('en-GB');
  const rest = Object.entries(fields).flatMap(([name, value]) => (HEAD.has(name) ? [] : [` ${name}=${textOf(value)}`]));
  return `hes: ${time} ${styleText(STYLES[level], level.padEnd(5))} ${textOf(message).slice(1, -1)}${rest.join('')}\n`;
}
