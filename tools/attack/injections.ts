/** Calls with a payload in every parameter of a list, generated from the declarations of the contract. */
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { z } from 'zod';

type Values = Record<string, string>;
export interface Injection {
  /** Path with its query, below `/api`. */
  path: string;
  /** Parameters that the response must refuse by name; empty: the payload is an admissible value. */
  refused: readonly string[];
}

const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
/** Values of parameters that are required for a successful response. */
const SAMPLES = [
  '1',
  '00:11:22:33:44:55',
  '001122334455',
  '0011223344556677',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  'level:1',
  'lpa',
  'daily',
  'month',
  'a',
];

const shapeOf = ({ query }: Route): { properties: Record<string, { enum?: unknown[] }> } => {
  const schema = query === undefined ? undefined : z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  return { properties: (schema?.properties ?? {}) as Record<string, { enum?: unknown[] }> }; // as: schemas of queries are objects
};
const wrongIn = ({ query }: Route, values: Values): string[] => {
  const result = query?.safeParse(values);
  return result === undefined || result.success ? [] : [...new Set(result.error.issues.map(({ path }) => String(path[0] ?? '')))];
};

/** The minimal successful call of a route: its required parameters with valid values. `known`: of existing devices. */
function baseOf(route: Route, names: readonly string[], known: Values): Values {
  const { properties } = shapeOf(route);
  const base: Values = {};
  for (const name of wrongIn(route, base).filter((wrong) => names.includes(wrong))) {
    const words = [known[name], ...(properties[name]?.enum ?? []), ...SAMPLES].filter((word) => typeof word === 'string');
    base[name] = words.find((word) => !wrongIn(route, { ...base, [name]: word }).includes(name)) ?? '1';
  }
  return base;
}

export interface Injected {
  route: Route;
  names: readonly string[];
  /** The call without a payload. */
  plain: string;
  with(payload: string): Injection[];
}

const queryOf = (values: Values) => new URLSearchParams(values).toString();

function injectedOf(route: Route, known: Values): Injected {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const names = Object.keys(shapeOf(route).properties);
  const base = baseOf(route, names, known);
  const isTaken = (name: string, word: string) =>
    route.params?.safeParse({ [name]: word }).error?.issues.every(({ path }) => path[0] !== name) ?? true;
  const place = Object.fromEntries(inPath.map((name) => [name, known[name] ?? SAMPLES.find((word) => isTaken(name, word)) ?? '1']));
  const pathWith = (replaced: Values) =>
    route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(replaced[name] ?? place[name] ?? '1'));
  const call = (values: Values, replaced: Values = {}) => `${pathWith(replaced)}?${queryOf(values)}`;
  return {
    route,
    names: [...names, ...inPath],
    plain: call(base),
    with(given) {
      const payload = given.toWellFormed();
      const refused = names.filter((name) => wrongIn(route, { ...base, [name]: payload }).includes(name));
      const taken = names.filter((name) => !refused.includes(name));
      const all = (some: readonly string[]): Values => ({ ...base, ...Object.fromEntries(some.map((name) => [name, payload])) });
      const isTakenTogether = wrongIn(route, all(taken)).length === 0;
      const groups = isTakenTogether ? [taken] : taken.map((name) => [name]);
      return [
        ...(refused.length === 0 ? [] : [{ path: call(all(refused)), refused }]),
        // Adds an undeclared parameter named like the payload.
        ...groups.filter((group) => group.length > 0).map((group) => ({ path: call({ ...all(group), [payload]: '1' }), refused: [] })),
        ...inPath.map((name) => ({ path: call(base, { [name]: payload }), refused: [] })),
      ];
    },
  };
}

/** Every read of the API that takes a parameter. */
export const everyInjected = (known: Values): Injected[] =>
  routes
    .filter(({ method }) => method === 'GET')
    .map((route) => injectedOf(route, known))
    .filter(({ names }) => names.length > 0);

/** A stack trace, SQL or a path of the server in a response. */
export const LEAKS =
  /\bat .+\(.+:\d+:\d+\)|\/(?:home|work|root|app|usr|var)\/\w+\/\w|node_modules|syntax error at|pg_catalog|relation "|SQLSTATE|root:x:0/i;

export const HEAD_TOO_LONG = 431;

/** The fault of a response; undefined for a success or a refusal of the right kind. */
export function faultOf(
  { refused }: Injection,
  { status, text, body }: { status: number; text: string; body: { code?: unknown; issues?: { field: string }[] } | undefined },
): string | undefined {
  if (status >= 500) return `${status}`;
  // An oversized header is refused by the HTTP parser before any route.
  if (status === HEAD_TOO_LONG) return undefined;
  if (status >= 400 && LEAKS.test(text)) return 'discloses internals of the server';
  if (status >= 400 && typeof body?.code !== 'string') return `${status} without a code`;
  if (refused.length === 0) return undefined;
  if (status !== 400) return `${status} for invalid values`;
  const named = new Set(body?.issues?.map(({ field }) => field.split('.')[0]));
  const missing = refused.filter((name) => !named.has(name));
  return missing.length === 0 ? undefined : `does not name ${missing.join(', ')}`;
}
