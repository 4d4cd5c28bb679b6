import type { FileFormat } from '@hes/contract/delivery/kinds/files.ts';
import { DeliveryFailed, type Batch } from '../kind.ts';
import { cimOf } from './cim.ts';
import { csvOf } from './csv.ts';

/** Items in a file; a page of readings ends earlier by its slots. */
export const BATCH_ITEMS = 500;
const STEP_DIGITS = 12;
const MINUTE_MS = 60_000;

export const periodMsOf = ({ everyMinutes }: { everyMinutes: number }): number => everyMinutes * MINUTE_MS;

const EXTENSIONS: Record<FileFormat, string> = { csv: 'csv', cim: 'xml' };

/** Letters and digits of an instant, to milliseconds: `20261127T140512345Z`. */
const stampOf = (at: number): string => new Date(at).toISOString().replaceAll(/[-:.]/g, '');

export interface DeliveryFile {
  /** Sorts in the order of the deliveries of its kind, by the progress of the sender. */
  name: string;
  content: string;
}

/**
 * The file of a batch. Its name never comes again: the step rises with each batch that was delivered, and the instant differs if an attempt
 * is repeated after its file was written.
 */
export function fileOf({ kind, step, at, events }: Batch, format: FileFormat): DeliveryFile {
  if (kind === 'test') throw new DeliveryFailed('internal', 'A test is no file');
  const name = `${kind}_${step.padStart(STEP_DIGITS, '0')}_${stampOf(at)}.${EXTENSIONS[format]}`;
  return { name, content: format === 'cim' ? cimOf(kind, events) : csvOf(kind, events) };
}

/** Prefix of files that are being written. They belong to one sender, which removes those that a crash left. */
export const partPrefixOf = (ref: string): string => `.hes-${ref}-`;
