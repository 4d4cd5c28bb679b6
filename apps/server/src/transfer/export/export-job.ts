import type { ExportJob } from '@hes/contract/transfer/export.ts';
import type { StoredExport } from './queries.ts';

export const jobOf = (stored: StoredExport): ExportJob => ({
  ...stored,
  state: stored.state as ExportJob['state'], // as: the table admits nothing else
  octets: Number(stored.octets),
  createdAt: stored.createdAt.toISOString(),
});
