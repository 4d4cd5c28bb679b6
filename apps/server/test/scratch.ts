import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one's own that the database's unprivileged user may enter. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes it, with the databases that had to lie elsewhere because its parents are closed to others. */
export function removeScratch(folder: string): void {
  for (const pointer of globSync('{,*/,*/*/}pg-location', { cwd: folder })) {
    const place = readFileSync(join(folder, pointer), 'utf8').trim();
    if (place.startsWith('/var/lib/hes/')) rmSync(place, { recursive: true, force: true });
  }
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
