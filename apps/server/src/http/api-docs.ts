import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_BASE, V1_PATH } from '@hes/contract/core/v1.ts';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { createPromisedDocument } from './openapi.ts';

const DOCS = `${API_BASE}/docs`;
const DOCUMENT = `${API_BASE}${V1_PATH}/openapi.json`;

/** The viewer is Swagger UI; its package for Fastify contains the built files, so the page needs no network. */
const VIEWER = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static');
const VIEWER_FILES = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Head-End System, API for programs</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${DOCS}/swagger-ui.css">
    <link rel="icon" type="image/png" href="${DOCS}/favicon-32x32.png">
  </head>
  <body>
    <div id="viewer"></div>
    <script src="${DOCS}/swagger-ui-bundle.js"></script>
    <script src="${DOCS}/start.js"></script>
  </body>
</html>
`;

/** `validatorUrl: null`: the viewer would otherwise send the address of the document to a service on the Internet. */
const START = `SwaggerUIBundle({ url: '${DOCUMENT}', dom_id: '#viewer', deepLinking: true, validatorUrl: null, defaultModelsExpandDepth: -1 });
`;

/** Swagger UI sets style attributes; scripts come from this server only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the document of the promised routes, and a viewer for it. Both are public: they are part of the published source. */
export function serveApiDocs(app: FastifyInstance): void {
  const document = JSON.stringify(createPromisedDocument());
  app.get(DOCUMENT, (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  app.get(DOCS, (_request, reply) => reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE));
  app.get(`${DOCS}/start.js`, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  void app.register(fastifyStatic, {
    root: VIEWER,
    prefix: `${DOCS}/`,
    index: false,
    decorateReply: false,
    allowedPath: (path) => VIEWER_FILES.has(path.slice(1)),
  });
}
