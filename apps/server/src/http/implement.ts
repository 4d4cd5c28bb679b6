import type { ParsedBody, ParsedParams, ParsedQuery, ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import type { Context, User } from '#db/context.ts';

/** Access to HTTP headers and cookies, for the few calls that need it. */
export interface Wire {
  ip: string;
  header(name: string): string | undefined;
  cookie(name: string): string | undefined;
  setHeader(name: string, value: string): void;
}

/** An authorised call with validated input. */
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

/** A handler of a route without content may return nothing. */
type Answer<R extends Route> = undefined extends ResponseOf<R> ? void : ResponseOf<R>;

export type Handler<R extends Route> = (call: Call<R>) => Answer<R> | Promise<Answer<R>>;

/** A route with its handler. */
export interface Implemented {
  route: Route;
  /** Whether the stored data makes this call require the approval of a second user, regardless of the limit. */
  requiresApproval?: (call: { ctx: Context; params: unknown }) => Promise<boolean>;
  // any: `implement` has matched route and handler; the type of a list cannot express that.
  handle: Handler<any>;
}

/** Pairs every route of a group with its handler. A missing handler does not compile. */
export const implement = <G extends Record<string, Route>>(group: G, handlers: { [K in keyof G]: Handler<G[K]> }): Implemented[] =>
  Object.entries(group).map(([name, route]) => ({ route, handle: handlers[name] as Handler<any> })); // as: every key of the group has its handler
