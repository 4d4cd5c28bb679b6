/** A receiver of webhooks that stores each batch before it answers; with a seed it refuses or loses some. Its process can be killed. */
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { chance } from './chance.ts';

const [, , port = '0', file = '', seed] = process.argv;
const next = seed === undefined ? () => 1 : chance(Number(seed));
/** Shares of requests that are answered 503 before, and after, the batch was stored. */
const BUSY = 0.05;
const LOST = 0.05;

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer); // as: no encoding is set
  const luck = next();
  if (luck < BUSY) return void response.writeHead(503).end();
  const events = JSON.parse(Buffer.concat(parts).toString()) as object[]; // as: the head-end sends batches
  appendFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  response.writeHead(luck < BUSY + LOST ? 503 : 204).end();
}

createServer((request, response) => void receive(request, response).catch(() => response.destroy())).listen(Number(port), '127.0.0.1');
