import { ERRORS, problem, type ErrorCode } from '@hes/contract/core/errors.ts';
import { GUARDS } from '@hes/contract/core/guard.ts';
import { unitsOf } from '@hes/contract/core/measured.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { API_BASE, API_VERSION, V1_PATH } from '@hes/contract/core/v1.ts';
import { everyRoute } from '@hes/contract/every-route.ts';
import { z } from 'zod';

type Schema = Record<string, unknown>;

const FILE = { type: 'string', format: 'binary' };
const BODY_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  file: 'application/octet-stream',
  stream: 'application/octet-stream',
};

/** Collects schema definitions, which must be in `components` of the document. */
class Components {
  readonly schemas: Record<string, Schema> = {};
  #count = 0;

  /** JSON schema of `type`; its definitions are moved to `components`. */
  schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
    const whole = z.toJSONSchema(type, { io, unrepresentable: 'any', target: 'draft-2020-12' }) as Schema & {
      $defs?: Record<string, Schema>;
    }; // as: a JSON schema is an object
    const { $schema: _dialect, $defs, ...schema } = whole;
    // A recursive type refers to the schema root, which is not the root of the document.
    const isRecursive = JSON.stringify(schema).includes('"$ref":"#"');
    if ($defs === undefined && !isRecursive) return schema;
    const prefix = `s${++this.#count}_`;
    const moved = (part: Schema): Schema =>
      JSON.parse(
        JSON.stringify(part)
          .replaceAll('"#/$defs/', `"#/components/schemas/${prefix}`)
          .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${prefix}root"`),
      ) as Schema; // as: the same object with other references
    for (const [name, definition] of Object.entries($defs ?? {})) this.schemas[`${prefix}${name}`] = moved(definition);
    if (!isRecursive) return moved(schema);
    this.schemas[`${prefix}root`] = moved(schema);
    return { $ref: `#/components/schemas/${prefix}root` };
  }
}

function parametersOf(
  components: Components,
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  examples: Readonly<Record<string, string>> = {},
): Schema[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.schemaOf(schema, 'input') as {
    properties?: Record<string, Schema>;
    required?: string[];
  }; // as: parameters are objects
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }));
}

/** Error codes of the guard of a route. */
function guardErrors({ endangers = 'nothing', silences }: Route): ErrorCode[] {
  const { asksProof, asksRestedRight, isStopped } = GUARDS[endangers];
  return [
    ...(asksRestedRight ? (['RIGHT_TOO_NEW'] as const) : []),
    ...(asksProof ? (['PROOF_REQUIRED'] as const) : []),
    ...(isStopped ? (['RELAY_STOPPED'] as const) : []),
    ...(silences === undefined ? [] : (['APPROVAL_REQUIRED'] as const)),
  ];
}

function refusalsOf(route: Route): Record<string, Schema> {
  const codes = [
    ...(route.errors ?? []),
    ...guardErrors(route),
    ...(route.allow === 'public' ? [] : (['TOKEN_INVALID'] as const)),
    ...(typeof route.allow === 'object' ? (['FORBIDDEN'] as const) : []),
  ];
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  const schema = { $ref: '#/components/schemas/Problem' };
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [status, { description: list.join(', '), content: { 'application/problem+json': { schema } } }]),
  );
}

/** Adds the property `units` to a response with measured values. */
function withUnits(schema: Schema, { response }: Route): Schema {
  const units = unitsOf(response);
  if (Object.keys(units).length === 0) return schema;
  const properties = Object.fromEntries(Object.entries(units).map(([name, unit]) => [name, { const: unit }]));
  return { ...schema, properties: { ...(schema['properties'] as Schema), units: { type: 'object', properties } } }; // as: measured answers are objects
}

/** A call that waits for approval is answered with the status of success, and with a problem document. */
function responsesOf(route: Route, answer: { content?: Schema }): Record<string, Schema> {
  const status = route.status ?? 200;
  const { [status]: held, ...refusals } = refusalsOf(route);
  if (held === undefined) return { [status]: { description: 'Done', ...answer }, ...refusals };
  const content = { ...answer.content, ...(held['content'] as Schema) }; // as: written by `refusalsOf`
  return { [status]: { description: `Done, or ${String(held['description'])}`, content }, ...refusals };
}

const isIdempotent = ({ method, v1, allow }: Route): boolean => method === 'POST' && v1 !== undefined && allow !== 'public';

const IDEMPOTENCY_PARAMETER: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A new random key for each order. A repeated call with the same key and the same input gets the answer of the first one, for a day; with another input it is refused with 422.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
  example: '0d2c2f0e-7d0b-4b0e-9a4e-1f6f0a6f3c55',
};

const exampleOf = (example: unknown): Schema => (example === undefined ? {} : { example });

function operationOf(components: Components, group: string, name: string, route: Route): Schema {
  const { description, example = {} } = route.v1 ?? {};
  const parameters = [
    ...parametersOf(components, route.params, 'path', example.params),
    ...parametersOf(components, route.query, 'query', example.query),
    ...(isIdempotent(route) ? [IDEMPOTENCY_PARAMETER] : []),
  ];
  const mediaType = BODY_TYPES[route.bodyType ?? 'json'];
  const answer =
    route.status === 204
      ? {}
      : route.answer === 'file'
        ? { content: { 'application/octet-stream': { schema: FILE } } }
        : {
            content: {
              'application/json': {
                schema: withUnits(components.schemaOf(route.response, 'output'), route),
                ...exampleOf(example.response),
              },
            },
          };
  return {
    operationId: `${group}.${name}`,
    tags: [group],
    summary: route.summary,
    ...(description === undefined ? {} : { description }),
    ...(route.allow === 'public' ? { security: [] } : {}),
    ...(typeof route.allow === 'object' ? { 'x-allow': route.allow } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [mediaType]: {
                schema: route.bodyType === 'file' || route.bodyType === 'stream' ? FILE : components.schemaOf(route.body, 'input'),
                ...exampleOf(example.body),
              },
            },
          },
        }),
    responses: responsesOf(route, answer),
  };
}

function documentOf(routes: readonly NamedRoute[], info: Schema, server: string): Schema {
  const components = new Components();
  components.schemas.Problem = components.schemaOf(problem, 'output');
  const paths: Record<string, Record<string, Schema>> = {};
  for (const { group, name, route } of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(components, group, name, route);
  }
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server }],
    security: [{ bearer: [] }],
    paths,
    components: { schemas: components.schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}

interface NamedRoute {
  group: string;
  name: string;
  route: Route;
}

const namedRoutes = (): NamedRoute[] =>
  Object.entries(everyRoute).flatMap(([group, routes]) => Object.entries<Route>(routes).map(([name, route]) => ({ group, name, route })));

/** OpenAPI 3.1 document of all routes that the server uses, for the console and for tests. */
export const createOpenApiDocument = (version: string): Schema =>
  documentOf(namedRoutes(), { title: 'Head-End System', version }, API_BASE);

const ABOUT = `Programs call these operations with the token of a service account. Get an access token by the grant client_credentials, or send the token itself as Bearer.

Operations and fields of version 1 stay. New operations, new optional inputs, new fields of responses and new words of enumerations can be added, so ignore what you do not know. Times are ISO 8601, days are days of the utility, ids are text, and units are in the field units of a response. An error is a problem document (RFC 9457); branch on its code, not on its text.`;

/** OpenAPI 3.1 document of the promised routes. */
export const createPromisedDocument = (): Schema =>
  documentOf(
    namedRoutes().filter(({ route }) => route.v1 !== undefined),
    { title: 'Head-End System, API for programs', version: API_VERSION, description: ABOUT },
    `${API_BASE}${V1_PATH}`,
  );
