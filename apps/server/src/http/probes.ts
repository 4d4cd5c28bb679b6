import { randomUUID } from 'node:crypto';
import { fastify, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { API_BASE } from '@hes/contract/core/v1.ts';
import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { STRONG_TLS } from '#platform/strong-tls.ts';
import { inputOf, wireOf } from './bind.ts';
import { limitConnections, slowRequestOptions, type ConnectionLimits } from './connection-limits.ts';
import { securityHeaders } from './console.ts';
import type { Implemented } from './implement.ts';
import { localeOf } from './locale.ts';
import { sendProblem, toApiError } from './problems.ts';

export interface ProbeOptions {
  /** Public routes with the method GET and no input, such as those of the health. */
  routes: readonly Implemented[];
  isSecure: boolean;
  tls: { cert: string; key: string } | undefined;
  connectionLimits: ConnectionLimits;
}

/** Creates the server of HES_PORT of a head-end without console: probes at the root and below /api, and nothing else. */
export function createProbes(ctx: Context, { routes, isSecure, tls, connectionLimits }: ProbeOptions): FastifyInstance {
  const settings: FastifyServerOptions & { https?: object } = {
    ...slowRequestOptions(connectionLimits),
    logger: false,
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    ...(tls === undefined ? {} : { https: { ...STRONG_TLS, ...tls } }),
  };
  const app = fastify(settings as FastifyServerOptions); // as: with `https` the type is that of another server, with the same methods
  limitConnections(app.server, connectionLimits);
  app.addHook(
    'onRequest',
    async (request, reply) => void reply.headers({ ...securityHeaders(request.url, isSecure), 'cache-control': 'no-store' }),
  );
  app.setErrorHandler((thrown, request, reply) => {
    const { error, traceId } = toApiError(thrown, ctx.log, request.id);
    return sendProblem(reply, error, localeOf(request.headers['accept-language']), traceId);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(reply, new ApiError('NOT_FOUND'), localeOf(request.headers['accept-language'])));
  for (const { route, handle } of routes)
    for (const base of ['', API_BASE])
      app.get(`${base}${route.path}`, (request, reply) =>
        handle({ ctx, ...inputOf(route, request), user: undefined, wire: wireOf(request, reply) }),
      );
  return app;
}
