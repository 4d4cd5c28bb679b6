import { certificate } from '@hes/contract/asset/certificate.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { certificateSheet } from './export-certificates.ts';
import { importCertificates } from './import.ts';
import { listCertificates } from './queries.ts';
import { downloadCertificate, downloadRequest, generateOwnKeyPair, getCertificate, removeCertificate, useOwnKeyPair } from './service.ts';

const certificateCalls = implement(certificate, {
  list: ({ ctx, user, query }) => listCertificates(ctx.db, user, query),
  get: ({ ctx, user, params }) => getCertificate(ctx.db, user, params.id),
  import: ({ ctx, user, query, body, locale, wire }) =>
    importCertificates(ctx, { user, ip: wire.ip }, { name: query.name, file: body, locale }),
  generate: ({ ctx, user, body, wire }) => generateOwnKeyPair(ctx, { user, ip: wire.ip }, body),
  request: ({ ctx, user, params }) => downloadRequest(ctx, user, params.id),
  file: ({ ctx, user, params }) => downloadCertificate(ctx, user, params.id),
  use: ({ ctx, user, params, wire }) => useOwnKeyPair(ctx, { user, ip: wire.ip }, params.id),
  remove: ({ ctx, user, params, body, wire }) => removeCertificate(ctx, { user, ip: wire.ip }, params.id, body.reason),
});

export const certificateRoutes = [...certificateCalls, ...exportRoutes(certificateSheet)];
