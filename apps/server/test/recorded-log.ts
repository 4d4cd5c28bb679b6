import { expect } from 'vitest';
import { createLog, type Log } from '../src/platform/log.ts';

/** A line of the log without its time. Errors have the members `name`, `message` and `stack`. */
type LogLine = { level: string; message: string } & Record<string, unknown>;

/** A log that keeps its lines. */
export function recordedLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = createLog('debug', (line) => {
    const { at: _, ...rest } = JSON.parse(line) as LogLine; // as: a line of our own log
    lines.push(rest);
  });
  return { log, lines };
}

/** The error of a line with this message. */
export const errorIn = (message: string) => expect.objectContaining({ message }) as unknown;
