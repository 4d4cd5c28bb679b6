import type { ParsedBody, ParsedParams, ParsedQuery, ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import type { Context, User } from '#db/context.ts';

/** What HTTP itself brought, for the few calls that deal in headers. */
export interface Wire {
  ip: string;
  header(name: string): string | undefined;
  cookie(name: string): string | undefined;
  setHeader(name: string, value: string): void;
}

/** A call after its token, rights and input have been judged. */
export interface Call<R extends Route> {
  ctx: Context;
  /** Undefined for public calls only. */
  user: R['allow'] extends 'public' ? undefined : User;
  params: ParsedParams<R>;
  query: ParsedQuery<R>;
  body: ParsedBody<R>;
  locale: Locale;
  wire: Wire;
}

/** A call without content may answer by saying nothing. */
type Answer<R extends Route> = undefined extends ResponseOf<R> ? void : ResponseOf<R>;

export type Handler<R extends Route> = (call: Call<R>) => Answer<R> | Promise<Answer<R>>;

/** A route and what answers it, ready to be bound to a path. */
export interface Implemented {
  route: Route;
  /** Whether the stored data makes this call require the approval of a second user, regardless of the limit. */
  requiresApproval?: (call: { ctx: Context; params: unknown }) => Promise<boolean>;
  // any: the pair was matched by `implement`; a list of pairs cannot say so.
  handle: Handler<any>;
}

/** A handler for every route of a group: a missing or a wrong one does not compile. */
export const implement = <G extends Record<string, Route>>(group: G, handlers: { [K in keyof G]: Handler<G[K]> }): Implemented[] =>
  Object.entries(group).map(([name, route]) => ({ route, handle: handlers[name] as Handler<any> })); // as: every key of the group has its handler
