import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Socket folder of the database in a data folder. */
export function postmasterOf(dataDir: string): { socketDir: string } {
  const pointer = join(dataDir, 'pg-location');
  const place = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, 'pg');
  return { socketDir: readFileSync(join(place, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[4] ?? '' };
}
