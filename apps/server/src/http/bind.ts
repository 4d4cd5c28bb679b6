import type { Route } from '@hes/contract/core/route.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#platform/context.ts';
import type { Sessions } from './access/sessions.ts';
import type { Implemented, Wire } from './implement.ts';
import { parse } from './issues.ts';
import { localeOf } from './locale.ts';

export const API_BASE = '/api';

/** `/task/{id}` as Fastify writes it. */
const fastifyPath = (path: string) => `${API_BASE}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** What a user reaches before the first password is changed. */
const OPEN_BEFORE_PASSWORD_CHANGE = new Set(['/manager/user/me', '/manager/user/{id}/password', '/manager/module/tree']);

/** Refuses what the user's roles do not hold: the one place where rights are judged. */
function checkRights(route: Route, user: User): void {
  const { allow } = route;
  if (user.mustChangePassword && !OPEN_BEFORE_PASSWORD_CHANGE.has(route.path)) throw new ApiError('PASSWORD_CHANGE_REQUIRED');
  if (typeof allow === 'object' && !user.actions.get(allow.page)?.has(allow.action)) throw new ApiError('FORBIDDEN');
}

const bearerOf = (request: FastifyRequest): string | undefined => /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const wireOf = (request: FastifyRequest, reply: FastifyReply): Wire => ({
  ip: request.ip,
  header: (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
  cookie: (name) => cookieOf(request.headers.cookie, name),
  setHeader: (name, value) => void reply.header(name, value),
});

function inputOf(route: Route, request: FastifyRequest) {
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
  /** Parse answers too: in tests and development, where a wrong one is a bug to be seen. */
  checksAnswers: boolean;
}

/** Puts a route on its path: token → rights → input → handler → answer. */
export function bind(app: FastifyInstance, { route, handle }: Implemented, { ctx, sessions, checksAnswers }: BindOptions): void {
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    handler: async (request, reply) => {
      let user: User | undefined;
      if (route.allow !== 'public') {
        user = await sessions.userOf(bearerOf(request));
        if (user === undefined) throw new ApiError('TOKEN_INVALID');
        checkRights(route, user);
      }
      const answer: unknown = await handle({ ctx, user, ...inputOf(route, request), wire: wireOf(request, reply) });
      void reply.status(route.status ?? 200);
      if (answer === undefined) return reply.send();
      return reply.send(checksAnswers ? route.response.parse(answer) : answer);
    },
  });
}
