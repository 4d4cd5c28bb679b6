import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createPageHtml } from './page-parts.ts';

export const CONSOLE_BASE = '/hes/';
const INDEX = 'index.html';
const ONE_YEAR_S = 31_536_000;

/** Scripts that stand in the page itself are allowed by what they are, not by where they are. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
}

/** `styleNonce`: of the style sheets that the component library writes into this page at run time. */
const policy = (scripts: string[], styleNonce?: string) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    ["style-src 'self'", ...(styleNonce === undefined ? [] : [`'nonce-${styleNonce}'`])].join(' '),
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Of a part of the console, which is no page: it is framed by none, and a worker loads scripts and data from its own server alone. */
export const partPolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Of everything. */
const ALWAYS = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };
/** Of what a browser may show or run as a page; a page's own parts need none of them, and there are a hundred. */
const OF_PAGES = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** An address without its query. */
export const pathOf = (url: string) => url.split('?')[0] ?? '';
const isFile = (path: string) => /\.\w{1,5}$/.test(path);
/** Pages have such addresses, too, but none of them looks like a file. */
const isPart = (path: string) => path.startsWith(`${CONSOLE_BASE}assets/`) && isFile(path);
const isRead = (method: string) => method === 'GET' || method === 'HEAD';
/** What a person asked for is a page, whatever it looks like: the console says itself that there is none. */
const isPage = ({ method, headers }: FastifyRequest, path: string) =>
  isRead(method) && path.startsWith(CONSOLE_BASE) && !isPart(path) && (!isFile(path) || headers.accept?.includes('text/html') === true);

/** An address without doubled slashes and without one at its end. */
function plainUrl(url: string): string {
  const path = pathOf(url);
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return `${plain === '/hes' ? CONSOLE_BASE : plain}${url.slice(path.length)}`;
}

/** A browser that was here once never asks in the open again. */
const OF_TLS = { 'strict-transport-security': `max-age=${ONE_YEAR_S}; includeSubDomains` };

export const securityHeaders = (url: string, isSecure: boolean): Record<string, string> => ({
  ...ALWAYS,
  ...(isPart(pathOf(url)) ? {} : OF_PAGES),
  ...(isSecure ? OF_TLS : {}),
});

interface Built {
  writtenAtMs: number;
  scripts: string[];
  /** The page of an address. */
  html: (path: string) => string;
}

/** Where the nonce of each answer is written into the page; scripts read it from there. */
const NONCE_PLACE = '{{style-nonce}}';
const NONCE_OCTETS = 18;

/** Reads the page that the build left. */
function readBuilt(root: string, writtenAtMs: number): Built {
  const html = readFileSync(join(root, INDEX), 'utf8');
  const withNonce = html.replace('<head>', `<head><meta property="csp-nonce" nonce="${NONCE_PLACE}">`);
  return { writtenAtMs, scripts: inlineScripts(html), html: createPageHtml(root, CONSOLE_BASE, withNonce) };
}

/** Serves the built console; every path below it that is no file is the console's own router. */
export function serveConsole(
  app: FastifyInstance,
  root: string,
): {
  /** What a page may load and run. */
  policy(): string;
  onMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
} {
  let built: Built | undefined;
  // A console that is built anew beneath a server that runs has other parts: the old page would name some that are gone.
  const latest = (): Built | undefined => {
    const writtenAtMs = statSync(join(root, INDEX), { throwIfNoEntry: false })?.mtimeMs;
    if (writtenAtMs !== undefined && writtenAtMs !== built?.writtenAtMs) built = readBuilt(root, writtenAtMs);
    return built;
  };
  const cspOf = (): string => policy(built?.scripts ?? []);
  app.addHook('onSend', async (request, reply) => {
    if (reply.hasHeader('content-security-policy')) return;
    void reply.header('content-security-policy', isPart(pathOf(request.url)) ? partPolicy : cspOf());
  });
  const sendIndex = (request: FastifyRequest, reply: FastifyReply) => {
    const page = latest();
    if (page === undefined)
      return reply.status(503).type('text/plain; charset=utf-8').send('The console is not built: run "npm run build", then start again.\n');
    const nonce = randomBytes(NONCE_OCTETS).toString('base64url');
    return reply
      .status(200)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy(page.scripts, nonce))
      .send(page.html(pathOf(request.url)).replace(NONCE_PLACE, nonce));
  };

  app.addHook('onRequest', async ({ method, url }, reply) => {
    if (isRead(method) && url.startsWith(CONSOLE_BASE) && plainUrl(url) !== url) return reply.redirect(plainUrl(url), 302);
  });
  app.get('/', (_request, reply) => reply.redirect(CONSOLE_BASE, 302));
  app.get('/hes', (_request, reply) => reply.redirect(CONSOLE_BASE, 302));
  app.get(CONSOLE_BASE, sendIndex);
  if (latest() !== undefined) {
    void app.register(fastifyStatic, {
      root,
      prefix: CONSOLE_BASE,
      index: false,
      // The build's list of parts is for the server alone.
      dotfiles: 'ignore',
      // The build left a packed file beside each that is worth it.
      preCompressed: true,
      // Names under assets/ hold a hash of their content.
      setHeaders: (reply, path) =>
        void reply.header('cache-control', path.startsWith(join(root, 'assets')) ? `public, max-age=${ONE_YEAR_S}, immutable` : 'no-cache'),
    });
  }
  return {
    policy: cspOf,
    onMissing: (request, reply) => (isPage(request, pathOf(request.url)) ? sendIndex(request, reply) : undefined),
  };
}
