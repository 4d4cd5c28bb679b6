import { API_BASE } from '@hes/contract/core/v1.ts';
import { addEveryCatalogue } from '@hes/contract/languages/every-language.ts';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import { createAccessTokens } from '#platform/access-token.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context } from '#db/context.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { handshakeFailures } from '#platform/failed-handshake.ts';
import type { Nonces } from '#db/nonces.ts';
import { RateLimiter, type RateLimit } from '#platform/rate-limiter.ts';
import { STRONG_TLS } from '#platform/strong-tls.ts';
import { Sessions } from './access/sessions.ts';
import { sendBareAnswer, statusOfFault } from './bare-answer.ts';
import { serveApiDocs } from './api-docs.ts';
import { bearerOf, bindRoute } from './bind.ts';
import { clientAddress, hasOneHost } from './client-address.ts';
import { limitConnections, slowRequestOptions, USUAL_LIMITS, type ConnectionLimits } from './connection-limits.ts';
import { pathOf, securityHeaders, serveConsole } from './console.ts';
import type { Implemented } from './implement.ts';
import { acceptLive, type Live } from './live.ts';
import { localeOf } from './locale.ts';
import { createOpenApiDocument } from './openapi.ts';
import { isOwnOrigin } from './origin.ts';
import { isNoPath, sendProblem, toApiError } from './problems.ts';

const BODY_LIMIT = 1_048_576;
/** A page makes about ten calls when it opens, and a user may open several in a row. The console retries calls that were refused. */
const CALLS: RateLimit = { burst: 60, perSecond: 20 };
/** Audit entries of refused reads per user and route, because pages poll. */
const REFUSED_READS: RateLimit = { burst: 1, perSecond: 1 / 3600 };
const COMPRESS_ABOVE = 1024;
/** Brotli's own default of 11 costs a hundred times the time for a tenth less. */
const BROTLI_QUALITY = 4;

/** Orchestrators and balancers expect their probes at these paths. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Refusals that may indicate an attack; most are not in the audit log. */
const LOGGED_REFUSALS: ReadonlySet<string> = new Set([
  'VALIDATION',
  'RATE_LIMIT',
  'TOO_BUSY',
  'FORBIDDEN',
  'FILE_TOO_LARGE',
  'SLIDER_INVALID',
  'INVALID_CLIENT',
  'PROGRAM_REFUSED',
  'ADDRESS_REFUSED',
]);

/** Counted per route, because the number of routes is bounded and that of addresses is not. */
function logRefusal(log: CountedLog, code: string, request: FastifyRequest): void {
  const call = `${request.method} ${request.routeOptions.url ?? 'no route'}`;
  log.info('A call was refused', { code, call, ip: clientAddress(request), requestId: request.id }, `${code} ${call}`);
}

export interface AppOptions {
  modules: Implemented[];
  /** Folder of the built console. */
  consoleRoot: string;
  version: string;
  checksAnswers?: boolean;
  /** Browsers reach the server over TLS, terminated here or by a proxy. */
  isSecure?: boolean;
  /** Certificate and key for TLS of this server, as PEM. */
  tls?: { cert: string; key: string } | undefined;
  /** Proxies whose X-Forwarded-For is trusted: addresses and CIDR blocks. */
  trustedProxies?: readonly string[];
  /** Session ids by ticket of the live socket. */
  liveTickets: Nonces;
  /** Number of head-ends on the database, which share the limits in memory. Absent: this one is alone. */
  livingNodes?: () => number;
  /** Rate limit per user; tests raise it. */
  callLimit?: RateLimit;
  connectionLimits?: ConnectionLimits;
}

export interface App {
  fastify: FastifyInstance;
  live: Live;
}

/** Creates the server of HES_PORT: API, live socket, OpenAPI and console. */
export async function createApp(ctx: Context, options: AppOptions): Promise<App> {
  addEveryCatalogue();
  const onMissing = (request: FastifyRequest, reply: FastifyReply) =>
    site.onMissing(request, reply) ?? sendProblem(reply, new ApiError('NOT_FOUND'), localeOf(request.headers['accept-language']));
  const { isSecure = false, tls, trustedProxies = [], connectionLimits = USUAL_LIMITS } = options;
  const settings: FastifyServerOptions & { https?: object } = {
    ...slowRequestOptions(connectionLimits),
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    forceCloseConnections: true,
    rewriteUrl: ({ url = '/' }) => (PROBES.has(url) ? `${API_BASE}${url}` : url),
    ...(tls === undefined ? {} : { https: { ...STRONG_TLS, ...tls } }),
    clientErrorHandler: (error, socket) =>
      error.code === 'ECONNRESET' || !socket.writable
        ? void socket.destroy()
        : sendBareAnswer(socket, statusOfFault(error.code ?? ''), isSecure),
    // A malformed URL matches no route, and no hook has run for it.
    frameworkErrors: (_error, request, reply) =>
      onMissing(request, reply.headers({ ...securityHeaders(request.url, isSecure), 'content-security-policy': site.policy() })),
  };
  const app = fastify(settings as FastifyServerOptions); // as: with `https` the type is that of another server, with the same methods
  limitConnections(app.server, connectionLimits);
  const sessions = new Sessions(ctx, createAccessTokens(ctx.secrets, ctx.clock));

  await app.register(compress, {
    threshold: COMPRESS_ABOVE,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(securityHeaders(request.url, isSecure));
    if (!hasOneHost(request.raw.rawHeaders)) throw new ApiError('VALIDATION');
    if (request.url.startsWith(API_BASE)) void reply.header('cache-control', 'no-store');
    if (request.method !== 'GET' && !isOwnOrigin(request.headers.origin, request.headers.host, isSecure)) throw new ApiError('FORBIDDEN');
  });
  app.addHook('onResponse', async (request, reply) => {
    // Without the query, which may contain tokens and search terms.
    ctx.log.debug('call', {
      requestId: request.id,
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });

  const site = serveConsole(app, options.consoleRoot);
  const refusals = new CountedLog(ctx.log, ctx.clock);
  app.server.on('tlsClientError', handshakeFailures(refusals, 'console'));
  app.setErrorHandler((thrown, request, reply) => {
    if (isNoPath(thrown)) return onMissing(request, reply);
    const { error, traceId } = toApiError(thrown, ctx.log, request.id);
    if (LOGGED_REFUSALS.has(error.code)) logRefusal(refusals, error.code, request);
    return sendProblem(reply, error, localeOf(request.headers['accept-language']), traceId);
  });
  app.setNotFoundHandler(onMissing);

  const calls = new RateLimiter(options.callLimit ?? CALLS, ctx.clock, options.livingNodes);
  const refusedReads = new RateLimiter(REFUSED_READS, ctx.clock);
  const binding = { ctx, sessions, calls, refusedReads, checksAnswers: options.checksAnswers ?? false };
  const isStream = ({ route }: Implemented) => route.bodyType === 'stream';
  for (const implemented of options.modules.filter((module) => !isStream(module))) bindRoute(app, implemented, binding);
  await app.register(async (streams) => {
    // Stream handlers read the body themselves; it is not buffered before.
    streams.removeContentTypeParser('application/octet-stream');
    streams.addContentTypeParser('application/octet-stream', (request, payload, done) => {
      if (Number(request.headers['content-length'] ?? 0) <= request.routeOptions.bodyLimit) return done(null, payload);
      payload.resume();
      done(new ApiError('FILE_TOO_LARGE'));
    });
    for (const implemented of options.modules.filter(isStream)) bindRoute(streams, implemented, binding);
  });
  const document = JSON.stringify(createOpenApiDocument(options.version));
  app.get(`${API_BASE}/openapi.json`, async (request, reply) => {
    if ((await sessions.userOf(bearerOf(request), { ip: clientAddress(request) })) === undefined) throw new ApiError('TOKEN_INVALID');
    return reply.type('application/json; charset=utf-8').send(document);
  });
  serveApiDocs(app);
  await app.ready();
  return { fastify: app, live: acceptLive(app.server, { ctx, sessions, tickets: options.liveTickets, isSecure }) };
}
