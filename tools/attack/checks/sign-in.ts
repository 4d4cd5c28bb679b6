/** Attacks on sign-in, sessions and the second factor. */
import { authenticator } from '../../../apps/server/test/authenticator.ts';
import { socketWith } from '../../../apps/server/test/live-socket.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { within, type Attacked } from '../attacked.ts';
import type { Attack, Trial } from '../check.ts';
import { ask, guess, inParallel, refresh, takeSlider, type Reply } from '../client.ts';

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const codesOf = (replies: readonly Reply[]) => replies.map(({ code, status }) => code ?? String(status));
const isStanding = async (target: Attacked, token: string) => (await ask(target.base, '/api/manager/user/me', { token })).status === 200;
const GUESS = 'Wrong-Guess-77';
const isJudged = (code: string) => code === 'INVALID_GRANT' || code === 'INVALID_GRANT_TRIES';

/** Sends wrong passwords for a name until it is locked. */
async function lockName(target: Attacked, username: string, net: string): Promise<string | undefined> {
  let last: Reply | undefined;
  for (let n = 1; n <= 6; n++) last = await guess(target.base, { username, password: GUESS, from: `${net}.${n}` });
  return last?.code;
}

/** Existing names, each with fewer guesses than the lock needs. */
const GUESSED = ['victim.refresh', 'victim.enrol', 'victim.change', 'victim.proof'] as const;
const GUESSES_EACH = 3;
/** Timing noise: load adds some milliseconds to alternating measurements, while a skipped password hash would save hundreds. */
const NOISE_MS = 15;

/**
 * Board D7 allows a timing difference of 5 % between existing and unknown names. Measurements alternate, and the shortest
 * of each counts, as load lengthens it least.
 */
async function compareTimes(target: Attacked, trial: Trial): Promise<void> {
  const known: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < GUESSED.length * GUESSES_EACH; n++) {
    const username = GUESSED[n % GUESSED.length] ?? '';
    known.push((await guess(target.base, { username, password: GUESS, from: `127.3.2.${n + 1}` })).ms);
    unknown.push((await guess(target.base, { username: `no.such.user${n}`, password: GUESS, from: `127.3.3.${n + 1}` })).ms);
  }
  const [one, other] = [Math.min(...known), Math.min(...unknown)];
  trial.refuses(
    `a refusal takes as long for a name that exists as for one that does not (${one.toFixed(0)} ms and ${other.toFixed(0)} ms)`,
    Math.abs(one - other) < Math.max(0.05 * Math.max(one, other), NOISE_MS),
  );
}

const raceLock: Attack = {
  ids: ['F10', 'D7'],
  title:
    '30 guesses at one name at the same moment from 30 addresses, 500 more from 500, one guess at each of 60 names, and the timing of a refusal',
  isShort: true,
  async attempt(target, trial) {
    const username = 'victim.lock';
    const right = (from: string) => guess(target.base, { username, password: target.password, from });
    trial.control('the right password signs in', (await right('127.3.0.1')).status === 200);
    await compareTimes(target, trial);
    const sliders = await inParallel(30, 30, (n) => takeSlider(target.base, `127.3.1.${n + 1}`));
    const raced = await inParallel(30, 30, (n) =>
      guess(target.base, { username, password: `${GUESS}${n}`, from: `127.3.1.${n + 1}`, slider: sliders[n] ?? '' }),
    );
    const judged = codesOf(raced).filter(isJudged).length;
    trial.refuses(`${judged} of 30 guesses at once were judged`, judged <= 5);
    const later = await inParallel(500, 25, (n) =>
      guess(target.base, { username, password: `${GUESS}${n}`, from: `127.3.${4 + (n >> 7)}.${(n % 128) + 1}` }),
    );
    trial.refuses(`of 500 more from 500 addresses ${codesOf(later).filter(isJudged).length} were judged`, !codesOf(later).some(isJudged));
    const sprayed = await inParallel(60, 4, (n) => guess(target.base, { username: `sprayed.${n}`, password: GUESS, from: '127.3.20.1' }));
    const tried = codesOf(sprayed).filter(isJudged).length;
    trial.refuses(`of one guess at each of 60 names from one address ${tried} were judged`, tried <= 40);
    const shown = (await (await target.as('admin'))('GET', `/manager/user/${target.userIds[username]}`)).body;
    trial.refuses('the administrator sees until when the name is locked', shown?.lockedUntil !== null && shown?.lockedUntil !== undefined);
    trial.refuses(
      'the right password from an unknown browser is refused while the name is locked',
      (await right('127.3.5.1')).code === 'LOCKED',
    );
  },
};

const FLOOD_MS = 6_000;

const hashingFlood: Attack = {
  ids: ['F11'],
  title: '24 callers without an account make the server hash passwords, each with a different name and address',
  async attempt(target, trial) {
    const call = await target.as('admin');
    const listMs = async (count: number) =>
      median((await inParallel(count, 1, () => call('GET', '/manager/user?size=20'))).map(({ ms }) => ms));
    const quietMs = await listMs(20);
    trial.control(`a list takes ${quietMs.toFixed(0)} ms without the flood`, quietMs < 2_000);
    let isOver = false;
    let sent = 0;
    const flood = Promise.all(
      Array.from({ length: 24 }, async (_, caller) => {
        for (let n = 0; !isOver; n++, sent++)
          await guess(target.base, { username: `name${caller}x${n}`, password: GUESS, from: `127.4.${caller}.${(n % 250) + 1}` });
      }),
    );
    // Measures from the moment when every caller is active until the end of the flood.
    await within(20_000, async () => sent >= 24);
    const times: number[] = [];
    for (const until = performance.now() + FLOOD_MS; performance.now() < until; await wait(50)) times.push(await listMs(1));
    isOver = true;
    await flood;
    // The review measured an increase from 20 ms to 1,285 ms.
    trial.refuses(
      `beside ${sent} sign-ins ${times.length} lists take ${median(times).toFixed(0)} ms, ${Math.max(...times).toFixed(0)} ms at most`,
      sent >= 60 && times.length >= 20 && median(times) < Math.max(6 * quietMs, 150),
    );
  },
};

const sliders: Attack = {
  ids: ['F12', 'D8'],
  title: '2,000 slider requests from many addresses, sign-ins without one, and a program that solves it 40 times',
  async attempt(target, trial) {
    const username = 'operator';
    const attempt = (slider: string) => guess(target.base, { username, password: target.password, from: '127.5.0.1', slider });
    const slider = await takeSlider(target.base, '127.5.0.1');
    await inParallel(2_000, 50, (n) => takeSlider(target.base, `127.5.${1 + (n >> 7)}.${(n % 128) + 1}`));
    const honest = await attempt(slider);
    trial.control('a sign-in with a slider works', honest.status === 200);
    trial.refuses('a slider solved before 2,000 other requests is still valid', honest.status === 200);
    trial.refuses('it counts once', (await attempt(slider)).code === 'SLIDER_INVALID');
    trial.refuses(
      'a missing and a forged one are refused',
      (await attempt('')).code !== undefined && (await attempt('A'.repeat(48))).code === 'SLIDER_INVALID',
    );
    const scripted = await inParallel(40, 1, () => guess(target.base, { username: 'no.one', password: GUESS, from: '127.5.250.1' }));
    const throttled = codesOf(scripted).filter((code) => code === 'RATE_LIMIT' || code === 'LOCKED').length;
    trial.refuses(`a program that solves it is throttled, too (${throttled} of 40)`, throttled >= 25);
  },
};

const strangersLock: Attack = {
  ids: ['F13'],
  title: 'a caller without an account locks a name; its owner continues in an existing session and signs in from the usual browser',
  isShort: true,
  async attempt(target, trial) {
    const username = 'victim.stranger';
    const known = await guess(target.base, { username, password: target.password, from: '127.6.0.1' });
    trial.control('the owner signs in', known.status === 200);
    trial.control('the name is locked for unknown callers', (await lockName(target, username, '127.6.1')) === 'LOCKED');
    const again = await guess(target.base, { username, password: target.password, from: '127.6.0.2', cookies: known.cookies });
    trial.refuses('the known browser signs in during the lock', again.status === 200);
    const proof = await ask(target.base, '/api/auth/proof', {
      method: 'POST',
      token: again.body?.access_token,
      json: { password: target.password },
    });
    trial.refuses('the own proof is accepted in the existing session', proof.status === 200);
  },
};

const stolenGuesses: Attack = {
  ids: ['F14'],
  title: 'a stolen token guesses the password at the own proof, at the enrolment of a second factor and at the change of the password',
  async attempt(target, trial) {
    const ways = {
      'victim.proof': ['POST', '/auth/proof', { password: GUESS }],
      'victim.enrol': ['POST', '/auth/second-factor', { password: GUESS }],
      'victim.change': [
        'PUT',
        `/manager/user/${target.userIds['victim.change']}/password`,
        { oldPassword: GUESS, newPassword: 'Brand-New-77' },
      ],
    } as const;
    for (const [user, [method, path, json]] of Object.entries(ways) as [keyof typeof ways, (typeof ways)[keyof typeof ways]][]) {
      // as: entries of that very table
      const { token } = await target.signIn(user);
      trial.control(`the session of ${user} stands`, await isStanding(target, token));
      const replies = await inParallel(8, 1, () => ask(target.base, `/api${path}`, { method, token, json }));
      const judged = codesOf(replies).filter((code) => code === 'OLD_PASSWORD_WRONG').length;
      trial.refuses(
        `${method} ${path.replace(/\d+/, '{id}')}: ${judged} of 8 guesses answered, then the session ended`,
        judged <= 5 && !(await isStanding(target, token)),
      );
    }
    const refused = await (await target.as('admin'))('GET', `/manager/audit?size=100&entityId=${target.userIds['victim.enrol']}`);
    trial.refuses('the refusals are in the audit log', /refused/.test(refused.text));
  },
};

const MOST_MS = 25_000;
/** An event of a socket; undefined after a timeout. */
const eventOf = (socket: WebSocket, name: 'message' | 'close'): Promise<unknown> =>
  Promise.race([new Promise((done) => socket.once(name, done)), wait(MOST_MS).then(() => undefined)]);

/** Whether a socket responds to a ping: a refused one may open first, and is then closed with the reason. */
const answers = (socket: WebSocket): Promise<boolean> =>
  new Promise((done) => {
    socket.once('open', () => socket.send('ping'));
    socket.once('message', (message) => done(String(message) === 'pong'));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
  });

const liveSocket: Attack = {
  ids: ['F15', 'D12'],
  title:
    'the live socket with an access token in its address, a ticket twice, a foreign origin, 70 KB in a message, and after the session has expired',
  isShort: true,
  async attempt(target, trial) {
    const { host } = new URL(target.base);
    const { token } = await target.signIn('victim.socket');
    const ticket = async () => String((await target.calls(token)('POST', '/auth/live-ticket')).body?.ticket);
    const open = async (given: string, origin?: string) => {
      const socket = socketWith(host, given, origin);
      socket.on('error', () => undefined);
      return { socket, isOpen: await answers(socket) };
    };
    const first = await ticket();
    const { socket, isOpen } = await open(first);
    trial.control('a ticket opens the socket, and it responds to a ping', isOpen);
    trial.refuses('a ticket is valid once', !(await open(first)).isOpen);
    trial.refuses('an access token opens nothing', !(await open(token)).isOpen);
    const inAddress = new WebSocket(`ws://${host}/api/websocket?access_token=${token}`, { origin: target.base });
    trial.refuses('nor does it in the address', !(await answers(inAddress)));
    trial.refuses('a foreign origin is refused', !(await open(await ticket(), 'http://evil.example')).isOpen);
    const big = await open(await ticket());
    const closed = eventOf(big.socket, 'close');
    big.socket.send('x'.repeat(70_000));
    const tooBig = await closed;
    trial.refuses(`70 KB close the socket (code ${tooBig})`, tooBig !== undefined);
    const ended = eventOf(socket, 'close');
    await target.rows("update user_session set expires_at = now() - interval '1 minute' where user_id = $1", [
      target.userIds['victim.socket'],
    ]);
    const began = performance.now();
    const code = await ended;
    trial.refuses(
      `an expired session ends the socket after ${((performance.now() - began) / 1000).toFixed(1)} s (code ${code})`,
      code === 4401,
    );
  },
};

const sessionEnds: Attack = {
  ids: ['D10'],
  title: 'tokens after signing out, after a new password, after a lock, and after the role was revoked',
  async attempt(target, trial) {
    const admin = await target.provedAs('admin');
    const id = (user: string) => target.userIds[user] ?? '';
    const ways: [user: 'victim.logout' | 'victim.reset' | 'victim.disabled', end: (cookies: string) => Promise<Reply>][] = [
      ['victim.logout', (cookies) => ask(target.base, '/api/auth/oauth2/revoke', { method: 'POST', cookies })],
      [
        'victim.reset',
        () => admin('PUT', `/manager/user/${id('victim.reset')}/reset-password`, { newPassword: 'Brand-New-77!', mustChange: false }),
      ],
      ['victim.disabled', () => admin('PUT', `/manager/user/${id('victim.disabled')}/lock`, { lock: true, lockReason: 'Attack' })],
    ];
    for (const [user, end] of ways) {
      const { token, cookies } = await target.signIn(user);
      trial.control(`the session of ${user} stands`, await isStanding(target, token));
      const socket = socketWith(new URL(target.base).host, String((await target.calls(token)('POST', '/auth/live-ticket')).body?.ticket));
      await once(socket, 'open');
      const closed = eventOf(socket, 'close');
      await end(cookies);
      const began = performance.now();
      const isOver = await within(5_000, async () => !(await isStanding(target, token)));
      await closed;
      trial.refuses(
        `${user}: token and socket end after ${Math.round(performance.now() - began)} ms`,
        isOver && socket.readyState === socket.CLOSED,
      );
    }
    const role = await target.as('victim.role');
    trial.control('the operator reads relays', (await role('GET', '/action/relay?size=1')).status === 200);
    const { body } = await admin('GET', `/manager/user/${id('victim.role')}`);
    const [none] = (await admin('GET', '/manager/role?code=NO_RIGHT')).body.items;
    await admin('PUT', `/manager/user/${id('victim.role')}`, { name: 'victim.role', roleIds: [none.id], version: body.version });
    trial.refuses(
      'a revoked role is ineffective at the next call',
      await within(5_000, async () => (await role('GET', '/action/relay?size=1')).status >= 401),
    );
  },
};

const bytesOf = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const tokens: Attack = {
  ids: ['D11'],
  title: 'tokens without signature, with another algorithm, changed claims or no signature, and a refresh cookie that was used before',
  isShort: true,
  async attempt(target, trial) {
    const { token, cookies } = await target.signIn('victim.refresh', '127.7.0.1');
    trial.control('the token itself is accepted', await isStanding(target, token));
    const [head = '', claims = '', signature = ''] = token.split('.');
    const said = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>; // as: claims are an object
    const forged = {
      none: `${bytesOf({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      'no signature': `${head}.${claims}.`,
      HS512: `${bytesOf({ alg: 'HS512', typ: 'JWT' })}.${claims}.${signature}`,
      'another key id': `${bytesOf({ alg: 'HS256', typ: 'JWT', kid: '../../dev/null', jku: 'http://127.0.0.1/' })}.${claims}.${signature}`,
      'a later end': `${head}.${bytesOf({ ...said, exp: Number(said['exp']) + 86_400 })}.${signature}`,
      'another audience': `${head}.${bytesOf({ ...said, aud: 'other' })}.${signature}`,
    };
    for (const [name, each] of Object.entries(forged)) trial.refuses(name, !(await isStanding(target, each)));
    trial.refuses('in the query', (await ask(target.base, `/api/manager/user/me?access_token=${token}`)).status === 401);
    const next = await refresh(target.base, cookies);
    trial.control('a refresh cookie gives a new token', next.status === 200);
    const after = await refresh(target.base, next.cookies);
    const replayed = await refresh(target.base, cookies);
    trial.refuses(`the cookie before the last one: ${replayed.code ?? replayed.status}`, after.status === 200 && replayed.status !== 200);
  },
};

const secondFactor: Attack = {
  ids: ['D9'],
  title: 'a user with a second factor is attacked with the password alone, a wrong code and a code used before',
  async attempt(target, trial) {
    const username = 'victim.factor';
    const { token } = await target.signIn(username);
    const call = target.calls(token);
    const begun = await call('POST', '/auth/second-factor', { password: target.password });
    const phone = authenticator(String(begun.body?.uri), { now: () => Date.now() });
    const spent = phone.code();
    trial.control('a second factor is enrolled', (await call('PUT', '/auth/second-factor', { otp: spent })).status === 200);
    const signIn = (otp?: string) =>
      guess(target.base, { username, password: target.password, from: '127.8.0.1', ...(otp === undefined ? {} : { otp }) });
    trial.refuses('the password alone does not sign in', (await signIn()).code === 'MFA_REQUIRED');
    trial.refuses('a wrong code does not', (await signIn(phone.wrong())).code === 'OTP_WRONG');
    trial.refuses('a code that was used does not', (await signIn(spent)).status !== 200);
    trial.control('the next code signs in', (await signIn(phone.code(1))).status === 200);
    const proofed = await target.calls(token)('POST', '/auth/proof', { password: target.password });
    trial.refuses(`the password alone is no proof for a disconnection (${proofed.code})`, proofed.status !== 200);
    const order = await target.calls(token)('POST', '/action/relay', {
      requestId: crypto.randomUUID(),
      meterIds: [target.north.relays[0]?.meterId],
      operation: 'disconnect',
      reason: 'Attack',
      workOrder: 'A1',
    });
    trial.refuses('a disconnection without a code is refused', order.code === 'PROOF_REQUIRED');
  },
};

const passwords: Attack = {
  ids: ['D6'],
  title: 'passwords that are too short, common or of one kind, and the storage of passwords',
  isShort: true,
  async attempt(target, trial) {
    const admin = await target.provedAs('admin');
    const [none] = (await admin('GET', '/manager/role?code=NO_RIGHT')).body.items;
    const make = (username: string, password: string) =>
      admin('POST', '/manager/user', { username, name: 'Password', password, roleIds: [none.id] });
    for (const [index, password] of ['', 'Aa1!aa', 'aaaaaaaaaaaa', 'Password1!', '12345678901234', 'P@ssw0rd'].entries())
      trial.refuses(`"${password}" is refused`, (await make(`weak.${index}`, password)).status === 400);
    trial.control(
      'a good one is taken, also with 64 characters',
      (await make('strong.one', `Aa1!${randomBytes(45).toString('base64')}`)).status === 201,
    );
    const kept = await target.rows<{ hash: string }>('select password_hash as hash from app_user');
    trial.refuses(
      `${kept.length} hashes are Argon2id`,
      kept.every(({ hash }) => hash.startsWith('$argon2id$')),
    );
  },
};

const forwarded: Attack = {
  ids: ['F17'],
  title: 'X-Forwarded-For with other addresses and with markup, to imitate another host and to evade the limits',
  isShort: true,
  async attempt(target, trial) {
    const claim = (address: string) =>
      ask(target.base, '/api/auth/oauth2/token', {
        method: 'POST',
        from: '127.9.0.1',
        headers: { authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}`, 'x-forwarded-for': address },
        form: { grant_type: 'password', username: 'victim.role', password: GUESS, slider: 'none' },
      });
    const replies = await inParallel(40, 1, (n) => claim(`203.0.113.${n + 1}`));
    const throttled = codesOf(replies).filter((code) => code === 'RATE_LIMIT').length;
    trial.refuses(`${throttled} of 40 calls with forged addresses are throttled as one host`, throttled >= 5);
    for (const [n, address] of ['203.0.113.99', 'not-an-ip', '<script>alert(1)</script>'].entries())
      await ask(target.base, '/api/auth/oauth2/token', {
        method: 'POST',
        from: `127.9.1.${n + 1}`,
        headers: { authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}`, 'x-forwarded-for': address },
        form: { grant_type: 'password', username: 'victim.guess', password: GUESS, slider: await takeSlider(target.base, '127.9.1.1') },
      });
    const { body } = await (
      await target.as('admin')
    )('GET', `/manager/audit?size=50&action=sign_in_failed&entityId=${target.userIds['victim.guess']}`);
    const addresses = (body.items as { ip: string }[]).map(({ ip }) => ip);
    trial.control(
      `the audit log names the peer (${addresses.join(', ')})`,
      addresses.length >= 3 && addresses.every((ip) => ip.startsWith('127.9.1.')),
    );
  },
};

export const signInAttacks = [
  raceLock,
  hashingFlood,
  sliders,
  strangersLock,
  stolenGuesses,
  liveSocket,
  sessionEnds,
  tokens,
  secondFactor,
  passwords,
  forwarded,
];
