import { expect, test } from 'vitest';
import { everyRoute } from './every-route.ts';
import type { Route } from './core/route.ts';

const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

test('an announced path is that of a list', () => {
  const read = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
  expect(routes.flatMap(({ announces }) => (announces === undefined || read.has(announces) ? [] : [announces]))).toEqual([]);
});

test('each approval and acknowledgement is announced to the lists of other users', () => {
  const isDecision = (route: Route): boolean =>
    route.method !== 'GET' &&
    !route.path.startsWith('/export/') &&
    ((typeof route.allow === 'object' && route.allow.action === 'approve') ||
      /\b(approve|approval|acknowledge|held-call|publish)\b|\/ack$/.test(route.path));
  const decisions = routes.filter(isDecision);
  expect(decisions.length).toBeGreaterThan(8);
  expect(decisions.filter(({ announces }) => announces === undefined).map(nameOf)).toEqual([]);
});
