import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Danger, ProofOnlyIf } from './guard.ts';

/** What a role may do on a page; a button and the call behind it name the same pair. */
export const ACTIONS = ['view', 'add', 'edit', 'delete', 'import', 'export', 'execute', 'approve', 'configure'] as const;
export type Action = (typeof ACTIONS)[number];

/** Who may call: anybody, anybody signed in, or holders of an action on a page of their module tree. */
export type Allow = 'public' | 'signed-in' | { page: string; action: Action };

/** One call of the API, declared once: the server implements it, the console calls it, OpenAPI lists it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api`; parameters in braces: `/task/{id}`. */
  path: string;
  summary: string;
  allow: Allow;
  /** What a call that changes something endangers; `GUARDS` says what follows. A GET changes nothing. */
  endangers?: Danger;
  proofOnlyIf?: ProofOnlyIf;
  /** How many devices the call may take out of reach: more than `MAX_SILENCED_PER_HOUR` of one person wait for a second one. */
  silences?: (body: unknown) => number;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** `form`: application/x-www-form-urlencoded, `file`: the bytes themselves, `stream`: the same, piece by piece. Default: JSON. */
  bodyType?: 'json' | 'form' | 'file' | 'stream';
  /** The longest body; 1 MiB unless said. */
  maxOctets?: number;
  response: z.ZodType;
  /** `file`: the content of the `FileAnswer`, under its name. Default: JSON. */
  answer?: 'json' | 'file';
  /** Status of success; 200 unless said. */
  status?: 200 | 201 | 202 | 204;
  errors?: readonly ErrorCode[];
}

/** A call that changes something and does not declare what it endangers does not compile. */
type Declared<R extends Route> = R['method'] extends 'GET' ? { endangers?: never } : { endangers: Danger };

export const route = <const R extends Route>(declaration: R & Declared<R>): R => declaration;

type Input<S> = S extends z.ZodType ? z.input<S> : undefined;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a caller passes. */
export type QueryOf<R extends Route> = Input<R['query']>;
export type BodyOf<R extends Route> = Input<R['body']>;
export type ParamsOf<R extends Route> = Input<R['params']>;
/** What a handler receives after parsing. */
export type ParsedQuery<R extends Route> = Output<R['query']>;
export type ParsedBody<R extends Route> = Output<R['body']>;
export type ParsedParams<R extends Route> = Output<R['params']>;
/** What the server answers and the console reads. */
export type ResponseOf<R extends Route> = Output<R['response']>;
