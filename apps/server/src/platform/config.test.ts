import { expect, test } from 'vitest';
import { isReachedByOthers, readConfig } from './config.ts';

const read = (env: Record<string, string | undefined>) => readConfig(env, '/');

test('a server on loopback is reachable by other machines only through a proxy', () => {
  expect([{}, { HES_HOST: '::1' }].map((env) => isReachedByOthers(read(env)))).toEqual([false, false]);
  const reached = [
    { HES_HOST: '0.0.0.0' },
    { HES_DLMS_HOST: '10.0.0.1' },
    { HES_SECURE_COOKIES: 'on' },
    { HES_TRUSTED_PROXY: '127.0.0.1' },
  ];
  expect(reached.map((env) => isReachedByOthers(read(env)))).toEqual([true, true, true, true]);
});

test('the minimum password length is 7 to 64, and the first password must meet it', () => {
  expect(read({}).passwordMin).toBe(7);
  expect(read({ HES_PASSWORD_MIN: '15' }).passwordMin).toBe(15);
  for (const text of ['6', '65', 'long']) expect(() => read({ HES_PASSWORD_MIN: text })).toThrow('from 7 to 64');
  expect(() => read({ HES_PASSWORD_MIN: '15', HES_ADMIN_PASSWORD: 'First-Light-26' })).toThrow('shorter than HES_PASSWORD_MIN');
  expect(read({ HES_PASSWORD_MIN: '14', HES_ADMIN_PASSWORD: 'First-Light-26' }).adminPassword).toBe('First-Light-26');
});

test('a head-end has all roles by default, and fewer on a shared database only', () => {
  const shared = { DATABASE_URL: 'postgres:///hes' };
  expect([read({}).roles, read({ HES_ROLES: 'analysis,field, web' }).roles]).toEqual([
    ['web', 'field', 'analysis'],
    ['web', 'field', 'analysis'],
  ]);
  expect(read({ ...shared, HES_ROLES: 'field' }).roles).toEqual(['field']);
  expect(() => read({ ...shared, HES_ROLES: 'web,filed' })).toThrow('HES_ROLES holds "filed". Set it to some of: web, field, analysis.');
  expect(() => read({ HES_ROLES: 'web' })).toThrow('Set DATABASE_URL to the database that they share');
  expect(() => read({ ...shared, HES_ROLES: 'web', HES_DEMO: 'on' })).toThrow('HES_DEMO is on, which needs all roles');
});

test('the frames of all collection are kept with the built-in database, and of a hundredth with a shared one', () => {
  const shared = { DATABASE_URL: 'postgres:///hes' };
  const shares = [{}, shared, { ...shared, HES_TRACE_SHARE: '0.5' }, { HES_TRACE_SHARE: '0' }].map((env) => read(env).traceSharePercent);
  expect(shares).toEqual([100, 1, 0.5, 0]);
  for (const text of ['101', '-1', 'all']) expect(() => read({ HES_TRACE_SHARE: text })).toThrow('Set it to a percentage from 0 to 100');
});

test('the PROXY protocol needs the addresses of the proxies that may speak it', () => {
  const read = (env: Record<string, string>) => readConfig(env, '/srv').dlmsProxies;
  expect([read({}), read({ HES_PROXY_PROTOCOL_FROM: '10.0.0.5' })]).toEqual([[], []]);
  expect(read({ HES_PROXY_PROTOCOL: 'on', HES_PROXY_PROTOCOL_FROM: '10.0.0.5, 10.1.0.0/16' })).toEqual(['10.0.0.5', '10.1.0.0/16']);
  expect(() => read({ HES_PROXY_PROTOCOL: 'on' })).toThrow('Set HES_PROXY_PROTOCOL_FROM');
});

test('the bus has servers of one kind, a proof in the first address, and a database that head-ends share', () => {
  const bus = (env: Record<string, string>) => read({ DATABASE_URL: 'postgres:///hes', ...env }).bus;
  expect(bus({})).toBeUndefined();
  expect(bus({ HES_BUS_URL: 'nats://10.0.0.7' })).toEqual({ servers: ['10.0.0.7:4222'], tls: undefined });
  expect(bus({ HES_BUS_URL: 'tls://hes:p%40ss%3A1@a.example:4223, tls://[::1]' })).toEqual({
    servers: ['a.example:4223', '[::1]:4222'],
    user: 'hes',
    password: 'p@ss:1',
    tls: { ca: undefined },
  });
  expect(bus({ HES_BUS_URL: 'nats://t0ken@a' })).toEqual({ servers: ['a:4222'], token: 't0ken', tls: undefined });
  for (const url of ['http://a', 'nats://a,tls://b', 'a:4222', 'nats://'])
    expect(() => bus({ HES_BUS_URL: url })).toThrow('Set it to nats://');
  expect(() => bus({ HES_BUS_URL: 'nats://a', HES_BUS_CA: '/ca.pem' })).toThrow('HES_BUS_CA is for TLS');
  expect(() => bus({ HES_BUS_URL: 'tls://a', HES_BUS_CREDENTIALS: '/not/there' })).toThrow('HES_BUS_CREDENTIALS is "/not/there"');
  expect(() => read({ HES_BUS_URL: 'nats://a' })).toThrow('connects head-ends on one database');
  expect(() => bus({ HES_BUS_URL: 'nats://a', HES_STRICT: 'on' })).toThrow('tls:// in HES_BUS_URL');
});

test('the public address is an origin, so that answers of identity providers reach no other page', () => {
  const publicUrl = (text: string) => read({ HES_PUBLIC_URL: text }).publicUrl;
  expect([publicUrl(''), publicUrl('https://HES.example.org/'), publicUrl('http://localhost:8080')]).toEqual([
    undefined,
    'https://hes.example.org',
    'http://localhost:8080',
  ]);
  for (const text of ['https://hes.example.org/hes', 'https://a@hes.example.org', 'https://hes.example.org/?a=1'])
    expect(() => publicUrl(text)).toThrow('Set it to scheme, host and port only, such as https://hes.example.org.');
  expect(() => publicUrl('hes.example.org')).toThrow('Set it to an address that begins with https:// or http://');
});
