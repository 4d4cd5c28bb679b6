import { exportFile } from '@hes/contract/transfer/export.ts';
import { implement, type Implemented } from '#http/implement.ts';
import type { AnyExport } from './define-export.ts';
import { openExportFile, listExports, runExport } from './service.ts';

/** Export route of a list, for the module of that list. */
export const exportRoutes = (kind: AnyExport): Implemented[] =>
  implement(kind.routes, {
    run: ({ ctx, user, body, locale, wire }) => runExport(kind, ctx, { user, ip: wire.ip }, { ...body, locale }),
  });

export const exportFileRoutes: Implemented[] = implement(exportFile, {
  list: async ({ ctx, user }) => ({ items: await listExports(ctx, user.id) }),
  file: ({ ctx, user, params }) => openExportFile(ctx, user.id, params.id),
});
