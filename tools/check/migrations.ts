/** Judges the migrations by their phases. docs/how-to/write-a-migration.md explains them. */
import path from 'node:path';
import { judgeMigrations } from './migration-rules.ts';

const faults = await judgeMigrations(path.resolve(import.meta.dirname, '../../apps/server/src/db/migrations'));
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
