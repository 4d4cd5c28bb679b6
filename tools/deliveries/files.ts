import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { freePort, Peer, programPath } from '../../apps/server/test/peer.ts';
import { isFreeze, kindOf, type Got, type Receiver } from './receiver.ts';

/** Account of a server that runs as root, with the password entry that it needs. */
const NOBODY = { name: 'nobody', ids: { uid: 65_534, gid: 65_534 } };
const isRoot = process.getuid?.() === 0;

type Line = Record<string, string>;
const meterOf = ({ number, meterSn, dcuSn }: Line): string => number ?? (meterSn === '' ? (dcuSn ?? '') : (meterSn ?? ''));

/** Items of the files of a folder, in the order of their names. A reading has a line for each value. */
function readFiles(folder: string): Promise<Got[]> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  const found = names.toSorted(byDelivery).flatMap((name) => {
    const kind = kindOf(`/${name.split('_')[0]}`);
    const items = new Map<string, { meter: string; slots: Set<string> }>();
    for (const line of parse(readFileSync(join(folder, name), 'utf8'), { columns: true }) as Line[]) {
      const item = items.get(line['id'] ?? '') ?? { meter: meterOf(line), slots: new Set<string>() };
      if (line['ts'] !== undefined && !isFreeze(line['profile'])) item.slots.add(line['ts']);
      items.set(line['id'] ?? '', item);
    }
    return [...items].map(([id, { meter, slots }]): Got => ({ kind, id, meter, slots: [...slots] }));
  });
  return Promise.resolve(found);
}

const byDelivery = (a: string, b: string): number => (a < b ? -1 : 1);

const schedule = { format: 'csv', everyMinutes: 1 };

/** A folder of the head-end itself: it ends with nothing of its own. */
export const folderReceiver = (root: string): Receiver => ({
  name: 'folder',
  sender: { kind: 'folder', settings: { folder: 'mdm', ...schedule }, secrets: {} },
  end: () => Promise.resolve(),
  restart: () => Promise.resolve(),
  read: () => readFiles(join(root, 'mdm')),
  stop: () => Promise.resolve(),
});

/** OpenSSH, which is killed with the sessions that it serves. */
export async function startSftp(folder: string): Promise<Receiver> {
  mkdirSync(folder);
  const port = await freePort();
  const keyOf = (name: string): string => {
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    return join(folder, name);
  };
  const [host, user, incoming] = [keyOf('host'), keyOf('user'), join(folder, 'in')];
  const fingerprint = /SHA256:\S+/.exec(execFileSync('ssh-keygen', ['-lf', `${host}.pub`], { encoding: 'utf8' }))?.[0] ?? '';
  const privateKey = readFileSync(user, 'utf8');
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${host}`,
    `AuthorizedKeysFile ${user}.pub`,
    'StrictModes no',
    'UsePAM yes',
  ];
  const service = [`PidFile ${join(folder, 'pid')}`, 'Subsystem sftp internal-sftp', 'ForceCommand internal-sftp', ''];
  writeFileSync(join(folder, 'sshd_config'), [...lines, ...service].join('\n'));
  mkdirSync(incoming);
  if (isRoot) execFileSync('chown', ['-R', NOBODY.name, folder]);
  chmodSync(incoming, 0o777);
  const account = isRoot ? NOBODY : { name: process.env['USER'] ?? '', ids: {} };
  const server = new Peer([programPath('sshd'), '-D', '-e', '-f', join(folder, 'sshd_config')], port, account.ids);
  await server.start();
  const settings = { host: '127.0.0.1', port, fingerprint, username: account.name, folder: incoming, ...schedule };
  return {
    name: 'sftp',
    sender: { kind: 'sftp', settings, secrets: { privateKey } },
    end: () => server.kill(),
    restart: () => server.start(),
    read: () => readFiles(incoming),
    stop: () => server.kill(),
  };
}
