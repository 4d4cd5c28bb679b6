import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createPageHtml } from './page-parts.ts';

const CONSOLE_BASE = '/hes/';
const INDEX = 'index.html';
const ONE_YEAR_S = 31_536_000;

/** CSP source expressions (hashes) of the inline scripts of a page. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
}

/** `styleNonce`: nonce of the style sheets that the component library adds to the page at run time. */
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

/** Policy of assets, which are not pages: they cannot be framed, and a worker may load scripts and data from this server only. */
export const partPolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of all responses. */
const ALWAYS = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };
/** Headers of all responses except assets, which are not shown as pages. */
const OF_PAGES = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(self), geolocation=(self), microphone=(), payment=(), usb=()',
};

/** Path of a URL, without the query. */
export const pathOf = (url: string) => url.split('?')[0] ?? '';
const isFile = (path: string) => /\.\w{1,5}$/.test(path);
/** Pages can be below /assets/ as well, but their paths have no file extension. */
const isPart = (path: string) => path.startsWith(`${CONSOLE_BASE}assets/`) && isFile(path);
const isRead = (method: string) => method === 'GET' || method === 'HEAD';
/** Navigation requests (accept text/html) get the console even for unknown paths; the console then shows its not-found page. */
const isPage = ({ method, headers }: FastifyRequest, path: string) =>
  isRead(method) && path.startsWith(CONSOLE_BASE) && !isPart(path) && (!isFile(path) || headers.accept?.includes('text/html') === true);

/** Removes double and trailing slashes of a URL. */
function plainUrl(url: string): string {
  const path = pathOf(url);
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return `${plain === '/hes' ? CONSOLE_BASE : plain}${url.slice(path.length)}`;
}

/** HSTS: a browser that has connected once uses TLS only. */
const OF_TLS = { 'strict-transport-security': `max-age=${ONE_YEAR_S}; includeSubDomains` };

export const securityHeaders = (url: string, isSecure: boolean): Record<string, string> => ({
  ...ALWAYS,
  ...(isPart(pathOf(url)) ? {} : OF_PAGES),
  ...(isSecure ? OF_TLS : {}),
});

interface Built {
  writtenAtMs: number;
  scripts: string[];
  /** HTML of the page at a path. */
  html: (path: string) => string;
}

/** Placeholder that each response replaces by its nonce; scripts read the nonce from the page. */
const NONCE_PLACE = '{{style-nonce}}';
const NONCE_OCTETS = 18;

/** Reads the index page of the build. */
function readBuilt(root: string, writtenAtMs: number): Built {
  const html = readFileSync(join(root, INDEX), 'utf8');
  const withNonce = html.replace('<head>', `<head><meta property="csp-nonce" nonce="${NONCE_PLACE}">`);
  return { writtenAtMs, scripts: inlineScripts(html), html: createPageHtml(root, CONSOLE_BASE, withNonce) };
}

/** Serves the built console. Paths without a file are left to the router of the console. */
export function serveConsole(
  app: FastifyInstance,
  root: string,
): {
  /** Content security policy of pages. */
  policy(): string;
  onMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
} {
  let built: Built | undefined;
  // Reloads the page after a rebuild, because the old page would refer to deleted assets.
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
      // Excludes the build manifest, which only the server uses.
      dotfiles: 'ignore',
      // The build writes a compressed copy of each large file.
      preCompressed: true,
      // File names below assets/ contain a hash of their content.
      setHeaders: (reply, path) =>
        void reply.header('cache-control', path.startsWith(join(root, 'assets')) ? `public, max-age=${ONE_YEAR_S}, immutable` : 'no-cache'),
    });
  }
  return {
    policy: cspOf,
    onMissing: (request, reply) => (isPage(request, pathOf(request.url)) ? sendIndex(request, reply) : undefined),
  };
}
