import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveConsole } from './console.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hes-console-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const withoutNonce = (html: string) => html.replace(/nonce="[\w-]+"/, '');

/** Writes a built console with one asset of this name. */
function build(name: string, writtenAt: Date): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'assets'), { recursive: true });
  writeFileSync(join(root, 'assets', `${name}.js`), '');
  writeFileSync(
    join(root, 'index.html'),
    `<html><head><script>"${name}"</script></head><body><script src="/hes/assets/${name}.js"></script></body></html>`,
  );
  utimesSync(join(root, 'index.html'), writtenAt, writtenAt);
  return root;
}

test('a rebuilt console is served immediately, with the policy for its scripts', async () => {
  const root = join(folder, 'dist');
  renameSync(build('before', new Date('2026-06-01')), root);
  const app = fastify();
  const site = serveConsole(app, root);
  app.setNotFoundHandler((request, reply) => site.onMissing(request, reply) ?? reply.status(404).send());
  const statusOf = async (file: string) => (await app.inject({ method: 'HEAD', url: `/hes/assets/${file}` })).statusCode;
  const before = await app.inject('/hes/dashboard');
  expect([before.body.includes('before.js'), await statusOf('before.js')]).toEqual([true, 200]);

  renameSync(root, join(folder, 'old'));
  renameSync(build('after', new Date('2026-06-02')), root);
  const after = await app.inject('/hes/dashboard');
  expect(after.body).toContain('after.js');
  expect([await statusOf('before.js'), await statusOf('after.js')]).toEqual([404, 200]);
  expect(after.headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-/);
  expect(after.headers['content-security-policy']).not.toBe(before.headers['content-security-policy']);

  // While a build is replaced there is no index file: the page read last is served.
  rmSync(root, { recursive: true });
  const still = await app.inject('/hes/dashboard');
  expect(withoutNonce(still.body)).toBe(withoutNonce(after.body));
  // Each response has a separate nonce for style sheets.
  const nonce = /nonce="([\w-]{24})"/.exec(still.body)?.[1] ?? 'missing';
  expect(still.headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}';`);
  expect(after.body).not.toContain(nonce);
  await app.close();
});

test('an asset of the console cannot be framed, and loads nothing from other origins', async () => {
  const app = fastify();
  serveConsole(app, build('dist', new Date('2026-06-01')));
  const { headers, statusCode } = await app.inject('/hes/assets/dist.js');
  expect(statusCode).toBe(200);
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  await app.close();
});
