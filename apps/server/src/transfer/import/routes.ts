import { implement, type Implemented } from '#http/implement.ts';
import type { AnyImport } from './define-import.ts';
import { commitImport, importResult, importTemplate, previewImport } from './service.ts';

/** The calls of a list that can be imported; the module the list belongs to adds them to its own. */
export const importRoutes = (kind: AnyImport): Implemented[] =>
  implement(kind.routes, {
    template: ({ query, locale }) => importTemplate(kind, query.format, locale),
    preview: ({ ctx, user, query, body, locale, wire }) =>
      previewImport(kind, ctx, { user, ip: wire.ip }, { ...query, file: body, locale }),
    commit: ({ ctx, user, params, locale, wire }) => commitImport(kind, ctx, { user, ip: wire.ip }, { id: params.id, locale }),
    result: ({ ctx, user, params, locale, wire }) => importResult(kind, ctx, { user, ip: wire.ip }, { id: params.id, locale }),
  });
