import { readFileSync } from 'node:fs';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import type { CertificateRow } from '@hes/contract/asset/certificate.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { readCertificateRequest } from '@hes/dlms/security/certificate-request.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { reportEnding } from '../src/features/assets/certificate/watch.ts';
import { clientTitleOf } from '../src/platform/client-title.ts';
import { openPrivateKey } from '../src/platform/own-key-pairs.ts';
import { EventWriter } from '../src/storage/events/event-writer.ts';
import { createAuthority, keyPair, pem } from './authority.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const METER_1 = '41434D0000000001';

let app: TestApp;
let admin: TestUser;
let limited: TestUser;
const published: string[] = [];

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  const { id } = await app.ctx.db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow();
  limited = await app.addUser({ transformers: [id] });
  app.ctx.bus.subscribe(({ message }) => message.type === 'device.changed' && published.push(...message.data.ids));
});
afterAll(() => app.close());

const fileOf = (name: string): Buffer => readFileSync(path.join(import.meta.dirname, 'certificates', `${name}.pem`));
const derOf = (name: string): Buffer => new X509Certificate(fileOf(name)).raw;

async function upload(file: Uint8Array | string, user = admin, language = 'en') {
  const answer = await app.call(user, {
    method: 'POST',
    url: '/api/asset/certificate/file?name=certificates.pem',
    headers: { 'content-type': 'application/octet-stream', 'accept-language': language },
    payload: Buffer.from(file),
  });
  return { status: answer.statusCode, body: answer.json() };
}
const messagesOf = async (file: Uint8Array | string, user = admin) =>
  (await upload(file, user)).body.rows.map(({ message }: { message: string | null }) => message);

async function ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object, user = admin) {
  const answer = await app.call(user, { method, url: `/api/asset/certificate${url}`, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, text: answer.body, body: answer.body.startsWith('{') ? answer.json() : undefined };
}
const listed = async (query = '', user = admin): Promise<CertificateRow[]> =>
  (await ask('GET', `?size=100${query}`, undefined, user)).body.items;
const only = async (search: string): Promise<CertificateRow> => {
  const [row, ...others] = await listed(`&search=${search}`);
  expect(others).toEqual([]);
  return row!; // the list was found to have one row
};
const setTitle = (sn: string, title: string) =>
  sql`update meter set system_title = ${Buffer.from(title, 'hex')} where sn = ${sn}`.execute(app.ctx.db);

describe('certificates made by OpenSSL', () => {
  test('are refused until their issuers are known, each with what to do', async () => {
    const { status, body } = await upload(Buffer.concat(['meter-1-signature', 'issuer-256', 'rsa'].map(fileOf)));
    expect([status, body.new, body.unchanged, body.errors]).toEqual([200, 0, 0, 3]);
    expect(body.rows).toEqual([
      {
        number: 1,
        subject: METER_1,
        verdict: 'error',
        message: 'The issuer Example Meters 256 is unknown: import its certificate first, or with the same file',
      },
      {
        number: 2,
        subject: 'Example Meters 256',
        verdict: 'error',
        message: 'The issuer Example Root 256 is unknown: import its certificate first, or with the same file',
      },
      {
        number: 3,
        subject: null,
        verdict: 'error',
        message: 'Not an intact X.509 certificate with key and signature of P-256 or P-384 (security suites 1 and 2)',
      },
    ]);
  });

  test('come in any order in one file, and find their device by the system title', async () => {
    await setTitle('MN0001', METER_1);
    published.length = 0;
    const names = ['meter-1-signature', 'meter-1-agreement', 'issuer-256', 'root-256', 'root-384', 'meter-2-signature'];
    const { body } = await upload(Buffer.concat(names.map(fileOf)));
    expect(body).toMatchObject({ new: 6, unchanged: 0, errors: 0 });
    expect(body.rows.at(-1)).toMatchObject({ message: expect.stringContaining('no device has this system title yet') });
    const meter = await app.ctx.db.selectFrom('meter').where('sn', '=', 'MN0001').select('id').executeTakeFirstOrThrow();
    expect(published).toEqual([meter.id]);
    const mine = await listed('&search=MN0001&sort=createdAt,asc');
    expect(mine).toMatchObject(
      [['digital_signature'], ['key_agreement']].map((usages) => ({
        kind: 'device',
        subject: METER_1,
        deviceKind: 'meter',
        deviceId: meter.id,
        deviceSn: 'MN0001',
        usages,
        suite: 1,
        issuer: 'Example Meters 256',
        state: 'valid',
        validFrom: '2020-01-01T00:00:00.000Z',
        validTo: '2120-01-01T00:00:00.000Z',
      })),
    );
    expect((await listed('&kind=authority&sort=subject,asc')).map(({ subject, suite }) => [subject, suite])).toEqual([
      ['Example Meters 256', 1],
      ['Example Root 256', 1],
      ['Example Root 384', 2],
    ]);
    expect((await listed('&suite=2&kind=device')).map(({ subject }) => subject)).toEqual(['41434D0000000002']);
  });

  test('are recognised when they come again, also as DER', async () => {
    const several = Buffer.concat([derOf('meter-1-signature'), derOf('root-384')]);
    expect((await upload(several)).body).toMatchObject({ new: 0, unchanged: 2, errors: 0 });
    expect((await upload(Buffer.concat([derOf('root-256'), derOf('root-384').subarray(0, 100)]))).body).toMatchObject({
      unchanged: 1,
      errors: 1,
    });
  });

  test.each([
    ['expired', 'It expired on 2021-01-01: import a new one from the issuer'],
    ['no-system-title', 'Its common name meter one is not a system title of 16 hexadecimal digits'],
    ['no-usage', 'Its key usage is neither digital signature nor key agreement'],
    ['weak-issuer', 'A certificate of suite 2 (P-384) needs an issuer with a key of P-384'],
  ])('%s is refused with the reason', async (name, message) => {
    expect(await messagesOf(fileOf(name))).toEqual([message]);
  });

  test('with one changed octet are refused', async () => {
    const forged = Buffer.from(derOf('meter-1-agreement'));
    const at = forged.indexOf(Buffer.from(METER_1));
    forged.write('9', at + METER_1.length - 1);
    expect(await messagesOf(forged)).toEqual([
      'The signature is not that of Example Meters 256: the file is damaged, or the certificate is forged',
    ]);
  });

  test('are downloaded as they were imported', async () => {
    const [row] = await listed('&search=MN0001&usage=key_agreement');
    const { text } = await ask('GET', `/${row?.id}/file`);
    expect(new X509Certificate(text).raw.equals(derOf('meter-1-agreement'))).toBe(true);
    expect((await ask('GET', `/${row?.id}/request`)).status).toBe(404);
  });
});

describe('a file', () => {
  test.each([
    ['without certificate', 'hello', 'It contains no certificate'],
    ['with a private key', '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n', 'It contains a private key'],
  ])('%s is refused as a whole', async (_, file, reason) => {
    const { status, body } = await upload(file);
    expect([status, body.code]).toEqual([422, 'FILE_UNREADABLE']);
    expect(body.detail ?? body.message).toContain(reason);
  });
});

describe('a key pair of the head-end', () => {
  const ca = createAuthority('Utility CA 1', 1);
  const ca2 = createAuthority('Utility CA 2', 2);
  const title = () => toHex(clientTitleOf(app.ctx.secrets));

  async function generate(usage: string, suite: 1 | 2): Promise<{ row: CertificateRow; publicKey: Uint8Array }> {
    const { status, body } = await ask('POST', '/key-pair', { usage, suite });
    expect(status).toBe(201);
    const { text } = await ask('GET', `/${body.id}/request`);
    const [, base64 = ''] = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END/.exec(text) ?? [];
    const request = readCertificateRequest(nodeCipher, new Uint8Array(Buffer.from(base64, 'base64')));
    expect(request.subject).toBe(title());
    return { row: body, publicKey: request.publicKey };
  }

  test('waits for its certificate, and its private key is sealed and in no answer', async () => {
    const { row, publicKey } = await generate('digital_signature', 2);
    expect(row).toMatchObject({ kind: 'head_end', subject: title(), state: 'waiting', isCurrent: false, validTo: null, deviceSn: null });
    const stored = await app.ctx.db
      .selectFrom('certificate')
      .where('id', '=', row.id)
      .select(['publicKey', 'privateKeySecret'])
      .executeTakeFirstOrThrow();
    expect(toHex(stored.publicKey)).toBe(toHex(publicKey));
    const privateKey = openPrivateKey(app.ctx.secrets, stored.publicKey, stored.privateKeySecret ?? Buffer.alloc(0));
    expect(nodeCipher.publicKeyOf?.(privateKey)).toEqual(publicKey);
    const answers = [await ask('GET', `/${row.id}`), await ask('GET', `/${row.id}/request`), await ask('GET', '?size=100')];
    for (const { text } of answers) expect(text.toLowerCase()).not.toContain(privateKey.toString('hex'));
    expect((await ask('GET', `/${row.id}/file`)).status).toBe(404);
    expect((await ask('PUT', `/${row.id}/use`)).body.code).toBe('CERTIFICATE_UNUSABLE');
    expect((await ask('POST', `/${row.id}/delete`, { reason: 'not needed' })).status).toBe(204);
  });

  test('is used with its first certificate; a later one is used when an operator says so, and the former one can come back', async () => {
    await upload(pem(ca.certificate) + pem(ca2.certificate));
    const first = await generate('digital_signature', 1);
    const issued = ca.issue({ subject: title(), publicKey: first.publicKey });
    expect(await messagesOf(pem(issued))).toEqual([null]);
    expect(await only(title())).toMatchObject({ id: first.row.id, isCurrent: true, state: 'valid', issuer: ca.name });
    expect(await messagesOf(pem(ca.issue({ subject: title(), publicKey: first.publicKey })))).toEqual([
      'This key pair has a certificate: generate a new key pair and have its request signed',
    ]);
    const second = await generate('digital_signature', 1);
    await upload(pem(ca.issue({ subject: title(), publicKey: second.publicKey })));
    const current = async () => (await listed('&kind=head_end')).filter(({ isCurrent }) => isCurrent).map(({ id }) => id);
    expect(await current()).toEqual([first.row.id]);
    expect((await ask('PUT', `/${second.row.id}/use`)).body).toMatchObject({ isCurrent: true });
    expect(await current()).toEqual([second.row.id]);
    await ask('PUT', `/${first.row.id}/use`);
    expect(await current()).toEqual([first.row.id]);
  });

  test('takes only a certificate with its key, the title of the head-end and its usage', async () => {
    const { publicKey } = await generate('key_agreement', 1);
    const stranger = keyPair(1).publicKey;
    const files = [
      ca.issue({ subject: title(), publicKey: stranger, use: 'keyAgreement' }),
      ca.issue({ subject: '4D45540000000009', publicKey, use: 'keyAgreement' }),
      ca.issue({ subject: title(), publicKey }),
    ];
    expect(await messagesOf(files.map(pem).join(''))).toEqual([
      expect.stringContaining('no key pair of the head-end has this key'),
      expect.stringContaining(`is not the system title of the head-end, ${title()}`),
      'The key pair is for another usage: have its request signed for Key agreement',
    ]);
  });

  test('that meters use is not deleted, nor is an authority with certificates', async () => {
    const [row] = (await listed('&kind=head_end')).filter(({ isCurrent }) => isCurrent);
    await sql`update meter_type set authentication_type = 'hls_ecdsa', security_suite = 1`.execute(app.ctx.db);
    const refused = await ask('POST', `/${row?.id}/delete`, { reason: 'mistake' });
    expect([refused.status, refused.body.code]).toEqual([409, 'IN_USE']);
    const authority = (await listed('&kind=authority')).find(({ subject }) => subject === 'Example Root 256');
    expect((await ask('POST', `/${authority?.id}/delete`, { reason: 'mistake' })).body.code).toBe('IN_USE');
    const [device] = await listed('&search=MN0001&usage=digital_signature');
    expect((await ask('POST', `/${device?.id}/delete`, { reason: 'mistake' })).body.code).toBe('IN_USE');
    await sql`update meter_type set authentication_type = 'hls_gmac', security_suite = 0`.execute(app.ctx.db);
    expect((await ask('POST', `/${device?.id}/delete`, { reason: '' })).status).toBe(400);
    expect((await ask('POST', `/${device?.id}/delete`, { reason: 'meter was scrapped' })).status).toBe(204);
    const audit = await app.ctx.db.selectFrom('auditLog').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
    expect(audit).toMatchObject({ action: 'certificate_deleted', entityId: device?.id, detail: { reason: 'meter was scrapped' } });
  });
});

describe('a user of one transformer', () => {
  const ca = createAuthority('District CA', 1);

  test('neither adds authorities nor touches key pairs of the head-end', async () => {
    expect(await messagesOf(pem(ca.certificate), limited)).toEqual([
      'This concerns all devices. It needs a role whose network area is the whole network.',
    ]);
    expect((await ask('POST', '/key-pair', { usage: 'digital_signature', suite: 1 }, limited)).body.code).toBe('WHOLE_NETWORK_ONLY');
    const [own] = (await listed('&kind=head_end')).filter(({ isCurrent }) => isCurrent);
    expect((await ask('PUT', `/${own?.id}/use`, undefined, limited)).body.code).toBe('WHOLE_NETWORK_ONLY');
    expect((await ask('POST', `/${own?.id}/delete`, { reason: 'x' }, limited)).body.code).toBe('WHOLE_NETWORK_ONLY');
  });

  test('sees, adds and deletes certificates of devices of the transformer only', async () => {
    await upload(pem(ca.certificate));
    const [north, south] = ['4E4F525448000001', '534F555448000001'];
    await setTitle('MN0002', north);
    await setTitle('MS0001', south);
    const file = [north, south].map((subject) => pem(ca.issue({ subject, publicKey: keyPair(1).publicKey }))).join('');
    const { body } = await upload(file, limited);
    expect(body).toMatchObject({ new: 1, errors: 1 });
    expect(body.rows[0]).toMatchObject({ subject: south, message: expect.stringContaining('No device in your area') });
    await upload(file);
    const foreign = await only(south);
    expect((await listed('&kind=device', limited)).map(({ subject }) => subject)).toContain(north);
    expect((await listed('', limited)).map(({ subject }) => subject)).not.toContain(south);
    for (const [method, at, payload] of [
      ['GET', '', undefined],
      ['GET', '/file', undefined],
      ['POST', '/delete', { reason: 'x' }],
    ] as const)
      expect((await ask(method, `/${foreign.id}${at}`, payload, limited)).status).toBe(404);
  });

  test('a key of one device is refused for another', async () => {
    const { publicKey } = keyPair(1);
    const [one, two] = ['4B45590000000001', '4B45590000000002'];
    expect(await messagesOf([one, two].map((subject) => pem(ca.issue({ subject, publicKey }))).join(''))).toEqual([
      `Its key is that of ${one}: each device needs its own`,
      expect.stringContaining('Stored'),
    ]);
  });
});

describe('the end of a certificate', () => {
  const ca = createAuthority('Short CA', 1);
  const messages = async (code: number): Promise<string[]> =>
    (await app.ctx.pool.query<{ message: string }>('select message from event where code = $1 order by id', [code])).rows.map(
      ({ message }) => message,
    );

  test('is reported 30 days before and when it comes, once each, unless a successor is there', async () => {
    const events = new EventWriter(app.ctx);
    const report = () => reportEnding({ ctx: app.ctx, events });
    await upload(pem(ca.certificate));
    await setTitle('MN0001', '454E440000000001');
    const ends = Date.now() + 20 * DAY_MS;
    const issue = (subject: string, toMs: number) => pem(ca.issue({ subject, publicKey: keyPair(1).publicKey, toMs }));
    await upload(issue('454E440000000001', ends) + issue('454E440000000002', ends) + issue('454E440000000002', ends + 100 * DAY_MS));
    expect(await only('454E440000000001')).toMatchObject({ state: 'expiring' });
    await report();
    await report();
    const at = new Date(Math.floor(ends / 1000) * 1000).toISOString();
    expect(await messages(60_050)).toEqual([`454E440000000001 (MN0001): ${at}`]);
    app.advance(21 * DAY_MS);
    await report();
    await report();
    app.advance(-21 * DAY_MS);
    expect(await messages(60_051)).toEqual([`454E440000000001 (MN0001): ${at}`]);
  });
});

test('reasons of a refused association say what to do', () => {
  for (const code of ['CERTIFICATE_MISSING', 'CERTIFICATE_EXPIRED', 'OWN_CERTIFICATE_MISSING', 'OWN_CERTIFICATE_EXPIRED'] as const)
    expect(REASONS[code].en).toMatch(/: .*(import|generate)/);
});
