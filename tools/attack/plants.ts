/** Puts texts into every field of the API that holds free text. */
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { z } from 'zod';
import type { Call } from './client.ts';

const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
const LONGEST = 5_000;

interface TextSchema {
  type?: unknown;
  enum?: unknown;
  const?: unknown;
  format?: unknown;
  pattern?: string;
  maxLength?: number;
  anyOf?: TextSchema[];
}
/** Length of a field that accepts any visible characters; undefined if it takes no free text. */
function roomOf(schema: TextSchema): number | undefined {
  const rooms = (schema.anyOf ?? []).map(roomOf).filter((room) => room !== undefined);
  if (rooms.length > 0) return Math.max(...rooms);
  const isAnyText = schema.pattern === undefined || schema.pattern.includes('\\p{L}');
  if (schema.type !== 'string' || schema.enum !== undefined || schema.const !== undefined || schema.format !== undefined || !isAnyText)
    return undefined;
  return schema.maxLength ?? LONGEST;
}

/** Free-text fields of a body with their lengths. */
function textFieldsOf({ body }: Route): Map<string, number> {
  const schema =
    body === undefined
      ? {}
      : (z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as { properties?: Record<string, TextSchema> }); // as: bodies are objects
  return new Map(
    Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const room = roomOf(field);
      return room === undefined ? [] : [[name, room] as const];
    }),
  );
}

/** Returns fitting texts in rotation. */
export class Texts {
  readonly #texts: readonly string[];
  #next = 0;
  readonly given = new Set<string>();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  take(room: number): string {
    for (let tried = 0; tried < this.#texts.length; tried++) {
      const text = this.#texts[this.#next++ % this.#texts.length] ?? '';
      if (text.length > room) continue;
      this.given.add(text);
      return text;
    }
    return '';
  }
}

export interface Planted {
  /** Route and field of every accepted text. */
  taken: string[];
  refused: string[];
}

/** Objects of each kind whose texts are changed. */
const OBJECTS_OF_A_KIND = 8;

/** Changes the texts of stored objects, for each kind that has a list and a form. */
async function plantInForms(call: Call, texts: Texts, planted: Planted): Promise<void> {
  const forms = routes.filter(
    ({ method, path }) =>
      method === 'PUT' && path.endsWith('/{id}') && path !== '/action/approval/{id}' && path !== '/action/held-call/{id}',
  );
  for (const form of forms) {
    const fields = textFieldsOf(form);
    const list = form.path.slice(0, -'/{id}'.length);
    if (fields.size === 0 || !routes.some(({ method, path }) => method === 'GET' && path === list)) continue;
    const found = (await call('GET', `${list}?size=200`)).body?.items ?? (await call('GET', list)).body?.items ?? [];
    const items = found.filter(
      ({ username, isBuiltin }: { username?: string; isBuiltin?: boolean }) =>
        isBuiltin !== true && (username === undefined || username.startsWith('puppet') || username === 'victim.logout'),
    );
    for (const row of items.slice(0, OBJECTS_OF_A_KIND)) {
      const detail = routes.some(({ method, path }) => method === 'GET' && path === form.path)
        ? (await call('GET', `${list}/${row.id}`)).body
        : {};
      const changes = Object.fromEntries([...fields].map(([name, room]) => [name, texts.take(room)]).filter(([, text]) => text !== ''));
      const same = { ...row, ...row.own, ...detail, ...detail?.own };
      const reply = await call('PUT', `${list}/${row.id}`, {
        ...same,
        roleIds: (row.roles ?? []).map((role: { id: string }) => role.id),
        ...changes,
      });
      const names = Object.keys(changes).map((name) => `${form.path} ${name}`);
      (reply.status < 300 ? planted.taken : planted.refused).push(
        ...names.map((name) => (reply.status < 300 ? name : `${name}: ${reply.code} ${reply.text.slice(0, 300)}`)),
      );
    }
  }
}

/** An order or a note with a reason, and its other fields. */
export interface Order {
  method: string;
  path: string;
  json: Record<string, unknown>;
  /** Fields that accept a script, with their lengths. */
  texts: Record<string, number>;
}

async function plantInOrders(call: Call, texts: Texts, planted: Planted, orders: readonly Order[]): Promise<void> {
  for (const { method, path, json, texts: fields } of orders) {
    const changes = Object.fromEntries(Object.entries(fields).map(([name, room]) => [name, texts.take(room)]));
    const reply = await call(method, path, { ...json, ...changes });
    for (const name of Object.keys(fields))
      (reply.status < 300 ? planted.taken : planted.refused).push(
        reply.status < 300 ? `${path} ${name}` : `${path} ${name}: ${reply.code}`,
      );
  }
}

export async function plantEverywhere(call: Call, texts: Texts, orders: readonly Order[]): Promise<Planted> {
  const planted: Planted = { taken: [], refused: [] };
  await plantInForms(call, texts, planted);
  await plantInOrders(call, texts, planted, orders);
  return planted;
}
