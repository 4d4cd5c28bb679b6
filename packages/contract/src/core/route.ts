import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { PagePath } from '../page/paths.ts';
import type { Danger, ProofOnlyIf } from './guard.ts';

/** Right: an action on a page. A route and the console's button for it refer to the same right. */
export const ACTIONS = ['view', 'add', 'edit', 'delete', 'import', 'export', 'execute', 'approve', 'configure'] as const;
export type Action = (typeof ACTIONS)[number];

/** Authorization of a route: public, any signed-in user, or holders of a right. */
export type Allow = 'public' | 'signed-in' | { page: PagePath; action: Action };

/** Part of a route that is promised to programs (decision 212). */
export interface Promised {
  /** Effect of the call and conditions for its caller, in plain English. */
  description: string;
  /** Input and response of one call, as on the wire. A test parses them by the schemas of the route. */
  example: {
    params?: Readonly<Record<string, string>>;
    query?: Readonly<Record<string, string>>;
    body?: unknown;
    response?: unknown;
  };
}

/** Declaration of an API call. The server implements it, the console calls it, and the OpenAPI document is generated from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below `/api`, with parameters in braces: `/task/{id}`. */
  path: string;
  summary: string;
  allow: Allow;
  /** Danger of the call; `GUARDS` has the requirements that follow. Absent for GET, which changes nothing. */
  endangers?: Danger;
  proofOnlyIf?: ProofOnlyIf;
  /** Number of devices the call may make unreachable. Beyond `MAX_SILENCED_PER_HOUR` of one user the call requires approval. */
  silences?: (body: unknown) => number;
  /** Path of a list with rows that the call changes: open consoles refetch it after a success. Absent: no other user waits for the change. */
  announces?: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Encoding of the body. `form`: application/x-www-form-urlencoded; `file`: raw bytes; `stream`: raw bytes as a stream. Default: JSON. */
  bodyType?: 'json' | 'form' | 'file' | 'stream';
  /** Maximum size of the body in octets. Default: 1 MiB. */
  maxOctets?: number;
  response: z.ZodType;
  /** Encoding of the response. `file`: the content of the `FileAnswer`, under its name. Default: JSON. */
  answer?: 'json' | 'file';
  /** Status code of success. Default: 200. */
  status?: 200 | 201 | 202 | 204;
  errors?: readonly ErrorCode[];
  /** The route is part of `/api/v1`: programs may call it, and later versions keep its fields. Absent: for the console alone. */
  v1?: Promised;
}

type Declared<R extends Route> = R['method'] extends 'GET' ? { endangers?: never } : { endangers: Danger };

/** Declares a route. A call that changes something and lacks `endangers` does not compile. */
export const route = <const R extends Route>(declaration: R & Declared<R>): R => declaration;

type Input<S> = S extends z.ZodType ? z.input<S> : undefined;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** Input of a call before parsing. */
export type QueryOf<R extends Route> = Input<R['query']>;
export type BodyOf<R extends Route> = Input<R['body']>;
export type ParamsOf<R extends Route> = Input<R['params']>;
/** Input of a handler after parsing. */
export type ParsedQuery<R extends Route> = Output<R['query']>;
export type ParsedBody<R extends Route> = Output<R['body']>;
export type ParsedParams<R extends Route> = Output<R['params']>;
/** Response of a call. */
export type ResponseOf<R extends Route> = Output<R['response']>;
