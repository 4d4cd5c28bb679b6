import { readFileSync } from 'node:fs';
import path from 'node:path';

/** PEM texts of a DCU for TLS. */
interface Certificates {
  cert: string;
  key: string;
  ca: string;
}

/** Reads a folder with `ca.crt` and, for each DCU, `<serial number>.crt` and `.key`. */
export function certificatesOf(folder: string, sn: string): Certificates {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  return { cert: read(`${sn}.crt`), key: read(`${sn}.key`), ca: read('ca.crt') };
}
