import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { SaxesParser } from 'saxes';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EventWriter } from '../../src/storage/events/event-writer.ts';
import { ReadingWriter } from '../../src/storage/writer.ts';
import { freePort, hasProgram, Peer, programPath } from '../peer.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { SenderBench, until } from '../sender-bench.ts';

let bench: SenderBench;
let root: string;
const hold = { folder: '' };
beforeAll(async () => {
  root = scratchFolder('hes-files-');
  bench = await SenderBench.open({ deliveryFolder: root });
});
afterAll(async () => {
  await bench.close();
  removeScratch(root);
});
afterEach(() => bench.clear());

const filesIn = (folder: string): string[] => readdirSync(folder).toSorted();
const recordsOf = (text: string): Record<string, string>[] => parse(text, { columns: true });
const folderSender = (settings: object = {}) => ({ kind: 'folder', settings: { folder: hold.folder, everyMinutes: 1, ...settings } });
/** Begins the next period of a schedule. */
const nextPeriod = () => bench.app.ctx.pool.query(`update sender set last_run_at = now() - interval '1 day'`);

/** Element names, attributes and texts of XML, which must be well-formed. */
function readXml(text: string): { names: string[]; refs: string[]; texts: string[] } {
  const found = { names: [] as string[], refs: [] as string[], texts: [] as string[] };
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    found.names.push(name);
    if (typeof attributes['ref'] === 'string') found.refs.push(attributes['ref']);
  });
  parser.on('text', (content) => void (content.trim() && found.texts.push(content)));
  parser.write(text).close();
  return found;
}

describe('senders to a folder', () => {
  beforeEach(() => (hold.folder = `billing/${expect.getState().currentTestName?.replaceAll(/\W+/g, '-').slice(-40)}`));
  const place = () => join(root, hold.folder);

  test('a file is written once in each period, with a name that sorts, and holds what was stored', async () => {
    const { id } = await bench.add(folderSender());
    const engine = bench.start();
    await bench.change('MN0001', 'A-1, "first"');
    await engine.runNow();
    // The period in which the sender was added has no file yet, unless the minute ends during this test.
    await nextPeriod();
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1, waiting: 0 }));
    await bench.change('MN0002', 'A-2');
    await nextPeriod();
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 2, waiting: 0 }));
    const names = filesIn(place());
    expect(names).toHaveLength(2);
    expect(names[0]).toMatch(/^assets_\d{12}_\d{8}T\d{9}Z\.csv$/);
    const [first, second] = names.map((name) => recordsOf(readFileSync(join(place(), name), 'utf8')));
    expect(first).toMatchObject([{ number: 'MN0001', customerNo: 'A-1, "first"' }]);
    expect(second).toMatchObject([{ number: 'MN0002', customerNo: 'A-2' }]);
  });

  test('nothing is written before the period ends, and a retry writes at once', async () => {
    const { id } = await bench.add(folderSender({ everyMinutes: 1440 }));
    const engine = bench.start();
    await bench.change('MN0001', 'B-1');
    await engine.runNow();
    await engine.runNow();
    expect(await bench.row(id)).toMatchObject({ sent: 0, waiting: 1 });
    await bench.call('POST', `/${id}/pause`);
    await bench.call('POST', `/${id}/resume`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1, waiting: 0 }));
  });

  test('events leave as EndDeviceEvents that are well-formed whatever the device sent', async () => {
    const { id } = await bench.add({ ...folderSender({ format: 'cim' }), contents: ['events'] });
    const device = {
      deviceKind: 'meter' as const,
      meterId: bench.idOf('MN0001'),
      dcuId: bench.idOf('DCUN0001'),
      source: 'pull' as const,
      traceId: null,
    };
    const event = {
      log: 'fraud' as const,
      code: 40,
      occurAt: Date.now() - 60_000,
      message: 'a <b> & \u0007 "c"',
      raw: Uint8Array.of(1, 2),
    };
    await new EventWriter(bench.app.ctx).store({ ...device, events: [event] });
    bench.start();
    await nextPeriod();
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1 }));
    const [name = ''] = filesIn(place());
    const { names, refs, texts } = readXml(readFileSync(join(place(), name), 'utf8'));
    expect(name).toMatch(/^events_.*\.xml$/);
    expect(names.slice(0, 3)).toEqual(['EndDeviceEvents', 'EndDeviceEvent', 'mRID']);
    expect(texts).toContain('MN0001');
    expect(texts).toContain('a <b> & \uFFFD "c"');
    expect(refs).toEqual(['0.0.0.0']);
  });

  test('readings leave as values by quantity, as CSV and as MeterReadings', async () => {
    const inCsv = await bench.add({ name: 'csv', ...folderSender(), contents: ['readings'] });
    const inCim = await bench.add({ name: 'cim', ...folderSender({ format: 'cim' }), contents: ['readings'] });
    await storeFreeze();
    bench.start();
    await nextPeriod();
    for (const { id } of [inCsv, inCim]) await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1 }));
    const [csv = '', xml = ''] = filesIn(place()).toSorted((a, b) => a.slice(-3).localeCompare(b.slice(-3)));
    const records = recordsOf(readFileSync(join(place(), csv), 'utf8'));
    expect(records).toContainEqual(
      expect.objectContaining({ meterSn: 'MN0001', profile: 'daily', quantity: 'ePlus', value: '12.5', unit: 'kWh' }),
    );
    const { names, refs, texts } = readXml(readFileSync(join(place(), xml), 'utf8'));
    expect(names).toContain('MeterReading');
    expect(refs).toContain('11.0.0.1.1.1.12.0.0.0.0.0.0.0.0.3.72.0');
    expect(texts).toContain('12.5');
  });

  test('a file that a crash left incomplete is removed, and those of others stay', async () => {
    const { id } = await bench.add(folderSender());
    const { rows } = await bench.app.ctx.pool.query<{ ref: string }>('select ref from sender where id = $1', [id]);
    mkdirSync(place(), { recursive: true });
    writeFileSync(join(place(), `.hes-${rows[0]?.ref}-assets_1.csv`), 'half');
    writeFileSync(join(place(), '.hes-other-assets_1.csv'), 'half');
    expect(await bench.test(id)).toEqual({ isDelivered: true, failure: null, detail: null });
    await bench.change('MN0001', 'C-1');
    bench.start();
    await nextPeriod();
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1 }));
    expect(filesIn(place())).toEqual(['.hes-other-assets_1.csv', expect.stringMatching(/^assets_/)]);
  });

  test('no name and no link leads out of the folder of the installation, and a folder that cannot be written is a failure', async () => {
    for (const folder of ['../out', '/etc', 'a/../../b', '.hidden'])
      expect((await bench.call('POST', '', { name: 'x', contents: ['assets'], ...folderSender({ folder }) })).json()).toMatchObject({
        issues: [{ field: 'folder' }],
      });
    symlinkSync('/tmp', join(root, 'link'));
    const { id } = await bench.add(folderSender({ folder: 'link' }));
    expect(await bench.test(id)).toMatchObject({ failure: 'no_folder' });
    writeFileSync(join(root, 'file'), '');
    const blocked = await bench.add({ name: 'blocked', ...folderSender({ folder: 'file' }) });
    expect(await bench.test(blocked.id)).toMatchObject({ failure: 'unreachable' });
  });

  test('CIM is refused for contents without a message', async () => {
    const answer = await bench.call('POST', '', { name: 'x', contents: ['readings', 'assets'], ...folderSender({ format: 'cim' }) });
    expect(answer.json()).toMatchObject({ code: 'VALIDATION', issues: [{ field: 'contents' }] });
  });
});

describe.skipIf(!hasProgram('sshd'))('senders to sshd', { timeout: 60_000 }, () => {
  let server: Peer;
  let port: number;
  let base: string;
  let fingerprint: string;
  let privateKey: string;
  const isRoot = userInfo().uid === 0;
  /**
   * The server runs unprivileged: as root it needs an account and a folder that only its package creates. Without PAM it takes accounts
   * whose passwords it cannot read for locked ones.
   */
  const account = isRoot ? { name: 'nobody', ids: { uid: 65_534, gid: 65_534 } } : { name: userInfo().username, ids: {} };
  const keyOf = (name: string): string => {
    const file = join(base, name);
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    return file;
  };

  beforeEach(async () => {
    base = scratchFolder('hes-sftp-');
    port = await freePort();
    const [host, user] = [keyOf('host'), keyOf('user')];
    privateKey = readFileSync(user, 'utf8');
    fingerprint = /SHA256:\S+/.exec(execFileSync('ssh-keygen', ['-lf', `${host}.pub`], { encoding: 'utf8' }))?.[0] ?? '';
    const lines = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${host}`,
      `AuthorizedKeysFile ${user}.pub`,
      'StrictModes no',
      'UsePAM yes',
    ];
    writeFileSync(
      join(base, 'sshd_config'),
      [...lines, `PidFile ${join(base, 'pid')}`, 'Subsystem sftp internal-sftp', 'ForceCommand internal-sftp', ''].join('\n'),
    );
    mkdirSync(join(base, 'in'));
    if (isRoot) execFileSync('chown', ['-R', 'nobody', base]);
    chmodSync(join(base, 'in'), 0o777);
    server = new Peer([programPath('sshd'), '-D', '-e', '-f', join(base, 'sshd_config')], port, account.ids);
    await server.start();
  });
  afterEach(async () => {
    await bench.clear();
    await server.kill();
    removeScratch(base);
  });
  const sender = (settings: object = {}, secrets: object = { privateKey }) => ({
    kind: 'sftp',
    settings: { host: '127.0.0.1', port, fingerprint, username: account.name, folder: join(base, 'in'), everyMinutes: 1, ...settings },
    secrets,
  });

  test('files arrive whole, also after the server was killed', async () => {
    const { id } = await bench.add(sender());
    bench.start();
    await bench.change('MN0001', 'S-1');
    await nextPeriod();
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1, waiting: 0 }));
    await server.kill();
    await bench.change('MN0002', 'S-2');
    await nextPeriod();
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'failing', waiting: 1 }));
    await server.start();
    await bench.call('POST', `/${id}/resume`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', sent: 2, waiting: 0 }));
    const contents = filesIn(join(base, 'in')).flatMap((name) => recordsOf(readFileSync(join(base, 'in', name), 'utf8')));
    expect(contents).toMatchObject([{ customerNo: 'S-1' }, { customerNo: 'S-2' }]);
  });

  test('the test leaves no file; a server with another key, and a wrong user, get nothing', async () => {
    const good = await bench.add({ name: 'good', ...sender() });
    expect(await bench.test(good.id)).toEqual({ isDelivered: true, failure: null, detail: null });
    expect(filesIn(join(base, 'in'))).toEqual([]);
    const foreign = await bench.add({ name: 'foreign', ...sender({ fingerprint: `SHA256:${'A'.repeat(43)}` }) });
    expect(await bench.test(foreign.id)).toEqual({ isDelivered: false, failure: 'foreign_key', detail: fingerprint });
    const stranger = await bench.add({ name: 'stranger', ...sender({ username: 'stranger' }) });
    expect(await bench.test(stranger.id)).toMatchObject({ failure: 'unauthorized' });
    const inside = await bench.add({ name: 'inside', ...sender({ host: '10.0.0.1' }) });
    expect(await bench.test(inside.id)).toMatchObject({ failure: 'address_refused' });
  });
});

const DAY_MS = 86_400_000;

/** Stores a freeze of yesterday, as collection does. */
async function storeFreeze(): Promise<void> {
  const writer = new ReadingWriter(bench.app.ctx);
  const freeze = {
    meterId: bench.idOf('MN0001'),
    dcuId: bench.idOf('DCUN0001'),
    freezeDay: Math.floor(Date.now() / DAY_MS) - 1,
    // 12.5 kWh in tenths of a watt-hour.
    registers: [125_000],
    statusWord: 0,
    deviceTime: undefined,
    readAt: Date.now(),
    source: 'meter' as const,
    traceId: undefined,
  };
  await writer.storeDaily([freeze], true);
  await writer.stop();
}
