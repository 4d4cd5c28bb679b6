import type { Mutant } from '../mutant.ts';
import { CONSOLE_MUTANTS } from './console.ts';
import { FIELD_MUTANTS } from './field.ts';
import { PROTOCOL_MUTANTS } from './protocol.ts';
import { QUEUE_MUTANTS } from './queue.ts';
import { SERVER_MUTANTS } from './server.ts';
import { STORAGE_MUTANTS } from './storage.ts';

/** All maintained mutants: each must be detected by a test or judge. */
export const MUTANTS: readonly Mutant[] = [
  ...PROTOCOL_MUTANTS,
  ...FIELD_MUTANTS,
  ...QUEUE_MUTANTS,
  ...STORAGE_MUTANTS,
  ...SERVER_MUTANTS,
  ...CONSOLE_MUTANTS,
];
