import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { z } from 'zod';

/** What the walk knows about its routes. */
interface WalkWords {
  /** Value of a parameter of a path or a query, by its name and the path; undefined: none is known. */
  wordOf(name: string, path: string): string | undefined;
  /** Whether each route is asked with each of its options as well, which are five times as many calls. */
  hasOptions: boolean;
}

interface Parameter {
  enum?: string[];
  type?: string;
  items?: Parameter;
}
interface Parameters {
  properties?: Record<string, Parameter>;
  required?: string[];
}

const RANGE = ['from', 'to'];

/** Values of an optional parameter: each of an enumeration, and all of a list at once. */
function valuesOf(name: string, parameter: Parameter, word: string | undefined): string[] {
  if (parameter.enum !== undefined) return parameter.enum;
  if (parameter.items?.enum !== undefined) return [...parameter.items.enum.slice(0, 1), parameter.items.enum.join(',')];
  if (word !== undefined) return [word];
  if (parameter.type === 'integer' || parameter.type === 'number') return ['1'];
  return parameter.type === 'boolean' ? ['true', 'false'] : [name];
}

/** Queries of a route: without options, and with each value of each option. A range of days is given wherever it can be. */
function queriesOf(route: Route, { wordOf, hasOptions }: WalkWords): Record<string, string>[] {
  if (route.query === undefined) return [{}];
  const known = (name: string) => wordOf(name, route.path);
  const declare = (io: 'input' | 'output') => z.toJSONSchema(route.query ?? z.unknown(), { io, unrepresentable: 'any' }) as Parameters; // as: of an object
  const [input, output] = [declare('input'), declare('output')];
  const names = Object.keys(input.properties ?? {});
  const parameterOf = (name: string): Parameter => {
    const asked = input.properties?.[name] ?? {};
    return asked.enum === undefined ? (output.properties?.[name] ?? asked) : asked;
  };
  const first = (name: string) => valuesOf(name, parameterOf(name), known(name))[0] ?? '';
  const always = names.filter((name) => input.required?.includes(name) === true || RANGE.includes(name));
  const base = Object.fromEntries(always.map((name) => [name, first(name)]));
  if (!hasOptions) return [base];
  return [base, ...names.flatMap((name) => valuesOf(name, parameterOf(name), known(name)).map((value) => ({ ...base, [name]: value })))];
}

/** Addresses of every GET route of the contract. Streams of octets and metrics of the process are among them. */
export function everyGet(words: WalkWords): string[] {
  const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
  const urls = routes
    .filter(({ method }) => method === 'GET')
    .flatMap((route) => {
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => words.wordOf(name, route.path) ?? '1');
      return queriesOf(route, words).map((query) => `/api${path}?${new URLSearchParams(query).toString()}`);
    });
  return [...new Set(urls)];
}
