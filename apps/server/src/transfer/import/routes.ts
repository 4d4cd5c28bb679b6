import { implement, type Implemented } from '#http/implement.ts';
import type { AnyImport } from './define-import.ts';
import { commitImport, importResult, importTemplate, previewImport } from './service.ts';

/** Handlers of the import routes of a list, which its feature adds to its own handlers. */
export const importRoutes = (kind: AnyImport): Implemented[] =>
  implement(kind.routes, {
    template: ({ query, locale }) => importTemplate(kind, query.format, locale),
    preview: ({ ctx, user, query, body, locale, wire }) =>
      previewImport(kind, ctx, { user, ip: wire.ip }, { ...query, file: body, locale }),
    commit: ({ ctx, user, params, locale, wire }) => commitImport(kind, ctx, { user, ip: wire.ip }, { id: params.id, locale }),
    result: ({ ctx, user, params, locale, wire }) => importResult(kind, ctx, { user, ip: wire.ip }, { id: params.id, locale }),
  });
