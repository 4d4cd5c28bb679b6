import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp } from './test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test('the document of the promised calls is public, and has a summary, a description and an example for each', async () => {
  const document = (await app.fastify.inject({ url: '/api/v1/openapi.json' })).json();
  expect(document).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: '/api/v1' }],
    info: { version: expect.stringMatching(/^1\.\d+\.\d+$/) },
  });
  const operations = Object.values<Record<string, { summary: string; description: string }>>(document.paths).flatMap((path) =>
    Object.values(path),
  );
  expect(operations.length).toBeGreaterThan(3);
  for (const operation of operations) {
    expect(operation).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(JSON.stringify(operation)).toContain('"example":');
  }
});

test('an order that may wait for approval documents its answer and the problem', async () => {
  const document = (await app.fastify.inject({ url: '/api/v1/openapi.json' })).json();
  const { content } = document.paths['/asset/dcu/{id}/restart'].post.responses['202'];
  expect(Object.keys(content)).toEqual(['application/json', 'application/problem+json']);
});

test('a promised call is served below /api/v1, and another one is not', async () => {
  const admin = await app.addUser({ roles: ['ADMIN'] });
  expect((await app.call(admin, { url: '/api/v1/manager/user/me' })).json()).toMatchObject({ id: admin.id });
  expect((await app.call(admin, { url: '/api/v1/manager/role' })).statusCode).toBe(404);
  expect((await app.fastify.inject({ url: '/api/v1/manager/user/me' })).statusCode).toBe(401);
});

test('the viewer comes from the head-end alone', async () => {
  const page = await app.fastify.inject({ url: '/api/docs' });
  expect(page.statusCode).toBe(200);
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(parts).toHaveLength(4);
  for (const url of parts) {
    expect(url).toMatch(/^\/api\/docs\//);
    expect((await app.fastify.inject({ url })).statusCode, url).toBe(200);
  }
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).not.toMatch(/https?:/);
  expect((await app.fastify.inject({ url: '/api/docs/index.html' })).statusCode).toBe(404);
});
