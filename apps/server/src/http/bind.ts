import { fileAnswer } from '@hes/contract/core/file.ts';
import { unitsOf } from '@hes/contract/core/measured.ts';
import { GUARDS, mayProgram } from '@hes/contract/core/guard.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { API_BASE, V1_PATH } from '@hes/contract/core/v1.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asToken, writeAudit } from '#db/audit.ts';
import { holderOf } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#db/context.ts';
import { inSpan, type SpanStart } from '#platform/spans.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import type { Sessions } from './access/sessions.ts';
import { clientAddress } from './client-address.ts';
import type { Implemented, Wire } from './implement.ts';
import { parse } from './issues.ts';
import { localeOf } from './locale.ts';

/** `/task/{id}` as Fastify writes it. */
const fastifyPath = (base: string, path: string) => `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** The paths of a route: that of the console, and the promised one. */
const basesOf = ({ v1 }: Route): string[] => (v1 === undefined ? [API_BASE] : [API_BASE, `${API_BASE}${V1_PATH}`]);

/** Routes available before the first password is changed. */
const OPEN_BEFORE_PASSWORD_CHANGE = new Set([
  '/manager/user/me',
  '/manager/user/{id}/password',
  '/manager/module/tree',
  '/auth/live-ticket',
]);

/** Routes available before a required second factor is set up. */
const OPEN_BEFORE_ENROLMENT = new Set([
  '/manager/user/me',
  '/auth/second-factor',
  '/auth/security-key',
  '/manager/module/tree',
  '/auth/live-ticket',
]);

/** The user restricted to the area of the required right, or the reason of the refusal. The only place that authorises calls. */
function authorise(
  route: Route,
  user: User,
): User | 'PROGRAM_REFUSED' | 'PASSWORD_CHANGE_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'FORBIDDEN' | 'RIGHT_TOO_NEW' {
  const { allow, path, endangers = 'nothing' } = route;
  if (user.program !== undefined && !mayProgram(route, user.program.mayOrder)) return 'PROGRAM_REFUSED';
  if (user.mustChangePassword && !OPEN_BEFORE_PASSWORD_CHANGE.has(path)) return 'PASSWORD_CHANGE_REQUIRED';
  if (user.mustEnrol && !OPEN_BEFORE_ENROLMENT.has(path)) return 'SECOND_FACTOR_REQUIRED';
  if (typeof allow !== 'object') return user;
  const holder = holderOf(user, allow.page, allow.action);
  if (holder === undefined || !GUARDS[endangers].asksRestedRight) return holder ?? 'FORBIDDEN';
  const scope = user.rested?.get(allow.page)?.get(allow.action);
  return scope === undefined ? 'RIGHT_TOO_NEW' : { ...holder, scope };
}

/** Audits every refused change, and refused reads once per hour, user and route. */
async function auditRefusal({ ctx, refusedReads }: BindOptions, { method, path }: Route, user: User, ip: string): Promise<void> {
  if (method === 'GET' && refusedReads.take(`${user.id} ${path}`) > 0) return;
  const entry = { userId: user.id, action: 'call_refused', entity: 'call', entityId: `${method} ${path}`, ip } as const;
  await asToken(user, () => ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now())));
}

export const bearerOf = (request: FastifyRequest): string | undefined => /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);

export const wireOf = (request: FastifyRequest, reply: FastifyReply): Wire => ({
  ip: clientAddress(request),
  header: (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
  cookie: (name) => cookieOf(request.headers.cookie, name),
  setHeader: (name, value) => void reply.header(name, value),
});

const MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  file: 'application/octet-stream',
  stream: 'application/octet-stream',
} as const;

/** Forms of other sites can send some media types without a CORS preflight, but not JSON: each route accepts its own type only. */
function requireMediaType({ body, bodyType = 'json' }: Route, { headers }: FastifyRequest): void {
  const given = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (body !== undefined && given !== undefined && given !== MEDIA_TYPES[bodyType]) throw new ApiError('VALIDATION');
}

export function inputOf(route: Route, request: FastifyRequest) {
  const locale = localeOf(request.headers['accept-language']);
  return {
    locale,
    params: route.params && parse(route.params, request.params, locale),
    query: route.query && parse(route.query, request.query, locale),
    body: route.body && parse(route.body, request.body ?? {}, locale),
  };
}

export interface BindOptions {
  ctx: Context;
  sessions: Sessions;
  /** Rate limit per user, so that one client cannot overload the server. */
  calls: RateLimiter;
  /** Rate limit of audit entries per user and route. */
  refusedReads: RateLimiter;
  /** Validates responses against the contract, in tests and development. */
  checksAnswers: boolean;
}

const unitsByRoute = new WeakMap<Route, Record<string, string>>();

/** Adds the units of measured values, by field. */
function withUnits(route: Route, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const units = unitsByRoute.get(route) ?? unitsOf(route.response);
  unitsByRoute.set(route, units);
  return Object.keys(units).length === 0 ? answer : { ...answer, units };
}

/** Sends a file under its name, encoded by RFC 5987. */
function sendFile(reply: FastifyReply, answer: unknown): FastifyReply {
  const { name, type, content } = fileAnswer.parse(answer);
  const plain = name.replaceAll(/[^\w .-]/g, '_');
  void reply.header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`);
  return reply.type(type).send(content);
}

/** The span of a call continues the trace of a caller that has one. Neither query nor body is in it. */
function spanOf({ method, path }: Route, { headers, id }: FastifyRequest, reply: FastifyReply): SpanStart<unknown> {
  const { traceparent } = headers;
  return {
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': path, 'hes.request.id': id },
    parent: typeof traceparent === 'string' ? traceparent : null,
    // A reply is itself awaited until it is sent, so it is no result.
    judge: () => ({ attributes: { 'http.response.status_code': reply.statusCode } }),
  };
}

/** Announces a changed list to open consoles. The message has no content of the list: each console refetches what its user may see. */
function announce({ bus, clock }: Context, { announces: path }: Route): void {
  if (path === undefined) return;
  bus.publish('list', { type: 'list.changed', ts: new Date(clock.now()).toISOString(), id: '0', data: { path } });
}

/** Registers a route: token → rights → input → handler → response. Rights are checked before the body is received. */
export function bindRoute(app: FastifyInstance, implemented: Implemented, options: BindOptions): void {
  for (const base of basesOf(implemented.route)) bindAt(app, base, implemented, options);
}

function bindAt(app: FastifyInstance, base: string, { route, handle }: Implemented, options: BindOptions): void {
  const { ctx, sessions, calls, checksAnswers } = options;
  const callers = new WeakMap<FastifyRequest, User>();
  const name = `${route.method} ${base}${route.path}`;
  app.route({
    method: route.method,
    url: fastifyPath(base, route.path),
    ...(route.maxOctets === undefined ? {} : { bodyLimit: route.maxOctets }),
    onRequest: async (request): Promise<void> => {
      if (route.allow === 'public') return requireMediaType(route, request);
      // Changes are authorised by the current rights, without the cache.
      const user = await sessions.userOf(bearerOf(request), { ip: clientAddress(request), isFresh: route.method !== 'GET' });
      if (user === undefined) throw new ApiError('TOKEN_INVALID');
      const seconds = calls.take(user.id);
      if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
      const caller = authorise(route, user);
      if (typeof caller === 'string') {
        await auditRefusal(options, route, user, clientAddress(request));
        throw new ApiError(caller);
      }
      requireMediaType(route, request);
      callers.set(request, caller);
    },
    handler: (request, reply) =>
      inSpan(
        name,
        () => spanOf(route, request, reply),
        () => answer(request, reply),
      ),
  });
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const user = callers.get(request);
    const call = { ctx, user, ...inputOf(route, request), wire: wireOf(request, reply) };
    const result: unknown = await asToken(user, () => handle(call));
    announce(ctx, route);
    void reply.status(route.status ?? 200);
    if (result === undefined) return reply.send();
    if (route.answer === 'file') return sendFile(reply, result);
    return reply.send(withUnits(route, checksAnswers ? route.response.parse(result) : result));
  }
}
