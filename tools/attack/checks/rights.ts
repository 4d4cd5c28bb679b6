/** Attacks on roles, areas and the menu. */
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { within, type Attacked } from '../attacked.ts';
import type { Attack } from '../check.ts';
import { askPatiently, inParallel, type Call } from '../client.ts';

const RELAYS = '/action/relay-control';
const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
const MISSING = '999999999';
const fill = (path: string) => path.replaceAll(/\{\w+\}/g, MISSING);
const bodyOf = ({ method, body, bodyType }: Route) =>
  method === 'GET' || body === undefined || (bodyType ?? 'json') !== 'json' ? undefined : {};

const relayOrder = (meterId: string | undefined, operation = 'disconnect') => ({
  requestId: crypto.randomUUID(),
  meterIds: [meterId],
  operation,
  reason: 'Attack',
  workOrder: 'A1',
});

const matrix: Attack = {
  ids: ['D1', 'D2'],
  title: 'every route without a token, with a forged one, and with that of a user without rights, including pages that the console hides',
  async attempt(target, trial) {
    const { token } = await target.session('nothing');
    const admin = (await target.session('admin')).token;
    const closed = routes.filter(({ allow }) => allow !== 'public');
    const guarded = closed.filter(({ allow }) => typeof allow === 'object');
    const statusesOf = (some: readonly Route[], given: string | undefined) =>
      inParallel(some.length, 8, async (n) => {
        const route = some[n];
        if (route === undefined) return '';
        const json = bodyOf(route);
        const { status, code } = await askPatiently(target.base, `/api${fill(route.path)}`, {
          method: route.method,
          token: given,
          ...(json === undefined ? {} : { json }),
        });
        return `${status} ${code} ${route.method} ${route.path}`;
      });
    const lists = guarded.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    const allowed = await statusesOf(lists, admin);
    const open = allowed.filter((answer) => !/^40[13]/.test(answer)).length;
    trial.control(`an administrator may read ${open} of ${lists.length} of the same lists`, open === lists.length);
    for (const [who, given] of [
      ['no token', undefined],
      ['a made-up token', 'eyJhbGciOiJub25lIn0.e30.'],
    ] as const) {
      const wrong = (await statusesOf(closed, given)).filter((answer) => !answer.startsWith('401 TOKEN_INVALID'));
      trial.refuses(
        `${who}: ${closed.length - wrong.length} of ${closed.length} routes refuse ${wrong.slice(0, 3).join(', ')}`.trim(),
        wrong.length === 0,
      );
    }
    const wrong = (await statusesOf(guarded, token)).filter((answer) => !answer.startsWith('403 FORBIDDEN'));
    trial.refuses(
      `a user without rights: ${guarded.length - wrong.length} of ${guarded.length} routes refuse ${wrong.slice(0, 3).join(', ')}`.trim(),
      wrong.length === 0,
    );
  },
};

/** The text of every list without parameters, as one user. */
async function readLists(call: Call): Promise<Map<string, string>> {
  const lists = routes.filter(
    ({ method, path, allow, answer }) => method === 'GET' && !path.includes('{') && typeof allow === 'object' && answer !== 'file',
  );
  const texts = new Map<string, string>();
  await inParallel(lists.length, 4, async (n) => {
    const path = lists[n]?.path ?? '';
    for (const query of ['?page=1&size=200', '']) {
      const { status, text } = await call('GET', `${path}${query}`);
      if (status === 200) {
        texts.set(path, text);
        break;
      }
    }
  });
  return texts;
}

const foreignObjects: Attack = {
  ids: ['D3'],
  title: 'a user of one district reads every list, and devices, tasks and readings of another district by their ids',
  isShort: true,
  async attempt(target, trial) {
    const call = await target.as('north.viewer');
    const [own, foreign] = [target.north.relays[0], target.old.relays[0]];
    const dcuOf = (sn: string | undefined) => [...target.north.dcus, ...target.old.dcus].find((dcu) => dcu.sn === sn)?.id;
    const paths = (relay: typeof own, levelId: string) => [
      `/asset/meter/${relay?.meterId}`,
      `/asset/dcu/${dcuOf(relay?.dcuSn)}`,
      `/asset/level/${levelId}`,
    ];
    const statuses = async (some: string[]) => (await Promise.all(some.map((path) => call('GET', path)))).map(({ status }) => status);
    const found = await statuses(paths(own, target.north.levelId));
    trial.control(
      `own devices are found (${found.join(', ')})`,
      found.slice(0, 2).every((status) => status === 200),
    );
    const missed = await statuses(paths(foreign, target.old.levelId));
    trial.refuses(
      `foreign ones are not (${missed.join(', ')})`,
      missed.every((status) => status === 404 || status === 403),
    );
    const texts = await readLists(call);
    const foreignSns = [...target.old.dcus, ...target.old.relays].map(({ sn }) => sn);
    const own50 = target.north.relays.filter(({ sn }) => [...texts.values()].some((text) => text.includes(`"${sn}"`))).length;
    trial.control(`${texts.size} lists are read, with ${own50} own meters in them`, texts.size >= 20 && own50 > 0);
    const leaks = [...texts].flatMap(([path, text]) => foreignSns.filter((sn) => text.includes(`"${sn}"`)).map((sn) => `${sn} in ${path}`));
    trial.refuses(
      `${foreignSns.length} foreign serial numbers appear in ${leaks.length} of them ${leaks.slice(0, 3).join(', ')}`.trim(),
      leaks.length === 0,
    );
    const task = (await (await target.as('operator'))('POST', '/action/relay/read', { meterIds: [foreign?.meterId] })).body
      .taskId as string;
    const other = await call('GET', `/task/${task}`);
    trial.refuses(`the task of another user, ${task}: ${other.status}`, other.status === 404 || other.status === 403);
  },
};

const massAssignment: Attack = {
  ids: ['D4'],
  title: 'fields that are in no form: roles, lock and administrator marks in the own profile, id and version in a new supplier',
  isShort: true,
  async attempt(target, trial) {
    const call = await target.as('north.viewer');
    const before = (await call('GET', '/manager/user/me')).body;
    const change = {
      name: 'Renamed',
      roleIds: ['1'],
      roles: ['1'],
      lock: false,
      isBuiltin: true,
      username: 'root',
      id: '1',
      scope: { kind: 'whole' },
    };
    await call('PUT', '/manager/user/me', change);
    const after = (await call('GET', '/manager/user/me')).body;
    const plain = await call('PUT', '/manager/user/me', { name: 'Renamed' });
    trial.control('the name itself can be changed', plain.status === 200 && plain.body.name === 'Renamed');
    const kept = (user: typeof before) => JSON.stringify([user.id, user.username, user.roles, user.actions, user.scope]);
    trial.refuses('name to sign in with, roles, rights and area stay', kept(before) === kept(after));
    const made = await (
      await target.as('admin')
    )('POST', '/asset/supplier', { code: 'ATTACKMASS', name: 'Mass', id: '424242', version: 99, createdBy: '1' });
    trial.refuses(
      `id and version of a new supplier are the server's (${made.status})`,
      made.status === 400 || (made.body.id !== '424242' && made.body.version !== 99),
    );
  },
};

const mixedRoles: Attack = {
  ids: ['F5'],
  title: 'a user with relay rights in one district and read rights everywhere disconnects in another district',
  isShort: true,
  async attempt(target, trial) {
    const call = await target.provedAs('mixed');
    const [own, foreign] = [target.north.relays[1], target.old.relays[1]];
    const order = async (meterId: string | undefined) => call('POST', '/action/relay', relayOrder(meterId));
    const outside = await order(foreign?.meterId);
    trial.refuses(`a command outside of the area: ${outside.status} ${outside.code}`, outside.status === 404 || outside.status === 403);
    const inside = await order(own?.meterId);
    trial.control(`a command inside of the area is accepted (${inside.status} ${inside.code ?? ''})`, inside.status === 202);
    const relay = await target.control('GET', `/relay/${foreign?.sn}`);
    trial.refuses('the foreign relay stays closed', relay.state === 'connected');
  },
};

/** Id of the relay control page in the menu. */
const relayModule = async (call: Call): Promise<string> =>
  (await call('GET', '/manager/module')).body.items.find(({ path }: { path: string }) => path === RELAYS)?.id;

const menu: Attack = {
  ids: ['F7'],
  title: 'a regional user manager, then an administrator, deletes the page of relay control from the menu',
  isShort: true,
  async attempt(target, trial) {
    const admin = await target.provedAs('admin');
    const id = await relayModule(admin);
    const regional = await (await target.provedAs('regional'))('DELETE', `/manager/module/${id}`);
    trial.refuses(`the regional manager is refused: ${regional.status} ${regional.code}`, regional.status === 403);
    const hidden = await admin('DELETE', `/manager/module/${id}`);
    trial.control(`the administrator hides it (${hidden.status})`, hidden.status === 204);
    const operator = await target.as('operator');
    const stopped = await operator('POST', '/action/relay/stop', { reason: 'Attack' });
    trial.refuses(`the emergency stop still works (${stopped.status})`, stopped.status === 200);
    await admin('POST', '/manager/module/restore');
    trial.refuses('all roles have their rights after the menu is restored', (await operator('GET', '/action/relay?size=1')).status === 200);
    const approver = await target.provedAs('approver');
    trial.control(
      'another user releases the stop',
      (await approver('POST', '/action/relay/release', { reason: 'Attack over' })).status === 200,
    );
  },
};

const settings: Attack = {
  ids: ['F20'],
  title: 'a regional manager and a stolen administrator token change settings of the whole network',
  isShort: true,
  async attempt(target, trial) {
    const admin = target.calls((await target.signIn('admin')).token);
    const keys = ['secondFactor', 'retention', 'timeZone'];
    const regional = await target.provedAs('regional');
    for (const key of keys) {
      const { value, version } = (await admin('GET', `/manager/setting/${key}`)).body;
      const byRegion = await regional('PUT', `/manager/setting/${key}`, { value, version });
      const byToken = await admin('PUT', `/manager/setting/${key}`, { value, version });
      trial.refuses(`${key}: ${byRegion.code} and ${byToken.code}`, byRegion.status === 403 && byToken.code === 'PROOF_REQUIRED');
    }
    const { value, version } = (await admin('GET', '/manager/setting/secondFactor')).body;
    const proved = await (await target.provedAs('admin'))('PUT', '/manager/setting/secondFactor', { value, version });
    trial.control('an administrator with own proof changes one', proved.status === 200);
  },
};

/** A trace of a fresh reading of a meter. */
async function freshTrace(target: Attacked): Promise<string> {
  const call = await target.as('admin');
  const meterId = target.north.relays[2]?.meterId;
  const { body } = await call('POST', '/action/relay/read', { meterIds: [meterId] });
  let trace = '';
  await within(30_000, async () => {
    const [row] = await target.rows<{ id: string }>(
      'select trace_id as id from task_item_device where task_id = $1 and trace_id is not null',
      [body.taskId],
    );
    trace = row?.id ?? '';
    return trace !== '';
  });
  return trace;
}

const traces: Attack = {
  ids: ['F16', 'D27'],
  title: 'a user without rights and one of another district open a deciphered exchange and readings by their ids',
  async attempt(target, trial) {
    const id = await freshTrace(target);
    const admin = await target.as('admin');
    let frames = 0;
    await within(10_000, async () => {
      frames = (await admin('GET', `/trace/${id}`)).body?.frames?.length ?? 0;
      return frames > 0;
    });
    trial.control(`an administrator sees its ${frames} frames`, frames > 0);
    const looked = await admin('GET', '/manager/audit?size=20&action=exchange_read');
    trial.refuses('the read is in the audit log', looked.text.includes(id));
    const nothing = await target.as('nothing');
    const refused = await nothing('GET', `/trace/${id}`);
    trial.refuses(`without a right: ${refused.status} ${refused.code}`, refused.status === 403);
    const mixed = await (await target.as('mixed'))('GET', `/trace/${id}`);
    trial.refuses(`with rights on other pages alone: ${mixed.status}`, mixed.status === 403);
    const day = new Date().toISOString().slice(0, 10);
    const meterId = target.north.relays[2]?.meterId ?? '';
    const finer = [`/reading/profile/lpa?meterId=${meterId}&from=${day}&to=${day}`, `/reading/${meterId}/latest`];
    const own = await Promise.all(finer.map((path) => admin('GET', path)));
    trial.control(
      'an administrator reads load profile and newest values',
      own.every(({ status }) => status === 200),
    );
    const views = await admin('GET', `/manager/audit?size=20&action=readings_viewed&entityId=${meterId}`);
    trial.refuses('that read is in the audit log', views.body.items.length > 0);
    const foreign = await Promise.all(finer.map((path) => nothing('GET', path)));
    trial.refuses(
      `load profile and newest values without a right: ${foreign.map(({ status }) => status).join(', ')}`,
      foreign.every(({ status }) => status === 403),
    );
    const outside = target.old.relays[2]?.meterId ?? '';
    const elsewhere = await (await target.as('north.viewer'))('GET', `/reading/${outside}/latest`);
    trial.refuses(`newest values of another district: ${elsewhere.status}`, elsewhere.status === 404);
  },
};

const debugTools: Attack = {
  ids: ['D29'],
  title: 'an operator without system pages uses the debug tools: replay, capture, station commands, topology switch',
  isShort: true,
  async attempt(target, trial) {
    const debug = routes.filter(({ path, method }) => path.startsWith('/debug/') && method !== 'GET');
    const call = await target.provedAs('operator');
    const replies = await inParallel(debug.length, 4, (n) => call(debug[n]?.method ?? '', fill(debug[n]?.path ?? ''), {}));
    trial.refuses(
      `${replies.filter(({ status }) => status === 403).length} of ${debug.length} are refused`,
      replies.every(({ status }) => status === 403),
    );
    const engineer = await target.as('engineer');
    const shown = await engineer('GET', '/debug/dcu-log/capture');
    trial.control(`an engineer with the right to look opens the same page (${shown.status} ${shown.code ?? ''})`, shown.status === 200);
  },
};

export const rightsAttacks = [matrix, foreignObjects, massAssignment, mixedRoles, menu, settings, traces, debugTools];
export { relayOrder };
