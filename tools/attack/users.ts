import type { Call } from './client.ts';

const RELAYS = '/action/relay-control';
/** Users of the attacks. Those from `victim.lock` on are targets; each loses its sessions to one attack. */
export const USERS = [
  'admin',
  'second.admin',
  'operator',
  'approver',
  'mixed',
  'regional',
  'north.viewer',
  'nothing',
  'engineer',
  'victim.lock',
  'victim.guess',
  'victim.stranger',
  'victim.proof',
  'victim.enrol',
  'victim.change',
  'victim.factor',
  'victim.logout',
  'victim.disabled',
  'victim.reset',
  'victim.role',
  'victim.socket',
  'victim.refresh',
] as const;
export type UserName = (typeof USERS)[number];

interface Module {
  id: string;
  path: string;
  type: string;
}

type Grants = (page: string) => string[];

/** Creates a role with the rights of `grants` per page, for the whole network, one level, or no area. */
async function makeRole(call: Call, modules: readonly Module[], code: string, grants: Grants, area: object): Promise<string> {
  const made = await call('POST', '/manager/role', { code, name: code });
  if (made.status !== 201) throw new Error(`Role ${code}: ${made.status} ${made.text}`);
  const pages = modules.filter(({ type, path }) => type === 'page' && grants(path).length > 0);
  const change = {
    moduleIds: pages.map(({ id }) => id),
    actions: pages.map(({ id, path }) => ({ moduleId: id, actions: grants(path) })),
    area,
    version: made.body.version,
  };
  const given = await call('PUT', `/manager/role/${made.body.id}/permission`, change);
  if (given.status !== 200) throw new Error(`Rights of ${code}: ${given.status} ${given.text}`);
  return made.body.id;
}

/** Creates roles and users through the API as the first administrator; returns user ids by name. */
export async function makeUsers(call: Call, password: string, northId: string): Promise<Record<string, string>> {
  const modules: Module[] = (await call('GET', '/manager/module')).body.items;
  const actionsOf = new Map<string, string[]>(Object.entries((await call('GET', '/manager/user/me')).body.actions));
  const all: Grants = (path) => actionsOf.get(path) ?? [];
  const only =
    (test: (path: string) => boolean, actions?: string[]): Grants =>
    (path) =>
      test(path) ? (actions ?? all(path)) : [];
  const north = { kind: 'nodes', nodes: [`level:${northId}`] };
  const whole = { kind: 'whole' };
  const role = (code: string, grants: Grants, area: object) => makeRole(call, modules, code, grants, area);
  const roles = (await call('GET', '/manager/role?size=100')).body.items as { id: string; code: string }[]; // as: the route's answer
  const builtIn = (code: string) => roles.find((one) => one.code === code)?.id ?? '';
  const relays = await role(
    'RELAYS_NORTH',
    only((path) => path === RELAYS),
    north,
  );
  const viewing = only((path) => path.startsWith('/meter/'), ['view']);
  const viewAll = await role('READINGS_WHOLE', viewing, whole);
  const system = await role(
    'SYSTEM_NORTH',
    only((path) => path.startsWith('/system')),
    north,
  );
  const viewNorth = await role(
    'VIEW_NORTH',
    only(() => true, ['view']),
    north,
  );
  const none = await role('NO_RIGHT', () => [], north);
  const operating = await role(
    'OPERATION',
    only((path) => !path.startsWith('/system')),
    whole,
  );
  const rolesOf: Partial<Record<UserName, string[]>> = {
    'second.admin': [builtIn('ADMIN')],
    mixed: [relays, viewAll],
    regional: [system],
    'north.viewer': [viewNorth],
    nothing: [none],
    engineer: [builtIn('FW_ENGINEER')],
  };
  const ids: Record<string, string> = {};
  for (const username of USERS) {
    if (username === 'admin') continue;
    const fields = { username, name: username, password, mustChangePassword: false };
    const made = await call('POST', '/manager/user', { ...fields, roleIds: rolesOf[username] ?? [operating] });
    if (made.status !== 201) throw new Error(`User ${username}: ${made.status} ${made.text}`);
    ids[username] = made.body.id;
  }
  ids['admin'] = (await call('GET', '/manager/user/me')).body.id;
  return ids;
}
