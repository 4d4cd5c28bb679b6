import { z } from 'zod';
import type { Unit } from './unit.ts';

/** A number in a response whose name lacks the unit: OpenAPI documents it as `unit`, and the response lists it in `units`. */
export const measured = (unit: Unit) => z.number().meta({ unit });

type Schema = { readonly [key: string]: unknown };
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** A number in a JSON schema; `beside` has the names of all fields of its object. */
export interface NumberField {
  name: string;
  path: string;
  unit: string | undefined;
  beside: readonly string[];
}

function* numbersIn(schema: unknown, path: readonly string[], beside: readonly string[]): Generator<NumberField> {
  if (!isSchema(schema)) return;
  const { type, unit, properties, items, prefixItems, additionalProperties, anyOf, oneOf, allOf } = schema;
  const types = [type].flat();
  if (types.includes('number') || types.includes('integer'))
    yield {
      name: path.findLast((part) => part !== '*') ?? '',
      path: path.join('.'),
      unit: typeof unit === 'string' ? unit : undefined,
      beside,
    };
  for (const part of [anyOf, oneOf, allOf, prefixItems, items].flat()) yield* numbersIn(part, path, beside);
  if (isSchema(properties))
    for (const [name, part] of Object.entries(properties)) yield* numbersIn(part, [...path, name], Object.keys(properties));
  yield* numbersIn(additionalProperties, [...path, '*'], []);
}

/** Numbers that a response may contain. */
export const numberFields = (response: z.ZodType): NumberField[] => [
  ...numbersIn(z.toJSONSchema(response, { io: 'output', unrepresentable: 'any' }), [], []),
];

/** Units of the measured fields of a response, by field name. */
export const unitsOf = (response: z.ZodType): Record<string, string> =>
  Object.fromEntries(numberFields(response).flatMap(({ name, unit }) => (unit === undefined ? [] : [[name, unit]])));
