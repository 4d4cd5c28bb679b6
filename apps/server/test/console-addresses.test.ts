import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp, type TestApp } from './test-app.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let app: TestApp;
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hes-addresses-'));
  mkdirSync(join(root, 'assets'));
  mkdirSync(join(root, '.vite'));
  writeFileSync(join(root, 'index.html'), '<html><head></head><body>console</body></html>');
  writeFileSync(join(root, '.vite', 'manifest.json'), '{}');
  writeFileSync(join(root, 'assets', 'part.js'), 'export {};');
  app = await testApp({ consoleRoot: root });
});
afterAll(async () => {
  await app.close();
  rmSync(root, { recursive: true, force: true });
});

const open = (url: string, method: 'GET' | 'HEAD' = 'GET') => app.fastify.inject({ method, url, headers: BROWSER });

describe('an address of the console', () => {
  test('S-049: with extra slashes leads to the one without, wherever the slashes are', async () => {
    const places = ['/hes/assets/dcu/?page=2', '/hes//evil.example/', '/hes/assets/', '/hes//', '/hes/redirect//evil.example'];
    const leads = await Promise.all(places.map(async (url) => (await open(url)).headers.location));
    expect(leads).toEqual(['/hes/assets/dcu?page=2', '/hes/evil.example', '/hes/assets', '/hes/', '/hes/redirect/evil.example']);
  });

  test('S-058: that is none is the console itself, which says so', async () => {
    for (const url of ['/hes/no/such', '/hes/%zz', '/hes/%00', '/hes/a/%2e%2e/b', '/hes/list.json', '/hes/login']) {
      const answer = await open(url);
      expect([url, answer.statusCode, answer.body.includes('console')]).toEqual([url, 200, true]);
      expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    }
  });

  test('of a part that is gone is none, and so is one that no browser asks for as a page', async () => {
    for (const request of [{ url: '/hes/assets/gone.js', headers: BROWSER }, { url: '/hes/list.json' }, { url: '/api/%zz' }])
      expect((await app.fastify.inject(request)).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await open('/hes/assets/part.js')).body).toBe('export {};');
  });

  test('answers who asks for its head only', async () => {
    expect([(await open('/hes/login', 'HEAD')).statusCode, (await open('/hes/no/such', 'HEAD')).statusCode]).toEqual([200, 200]);
  });
});
