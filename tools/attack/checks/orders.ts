/** Attacks on commands that switch, block or change devices. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tokenAlone } from '../../../apps/server/test/attack/steps.ts';
import { within, type Attacked } from '../attacked.ts';
import type { Attack } from '../check.ts';
import { ask, guess, inParallel, type Call } from '../client.ts';
import { relayOrder } from './rights.ts';

/** Steps of a stolen token against devices of the district OT. */
async function stepsOf(target: Attacked) {
  const call = await target.as('admin');
  const [dcu, meter] = [target.old.dcus[0], target.old.relays[0]];
  const supplierId = (await call('GET', '/asset/supplier?size=1')).body.items[0]?.id ?? '';
  return tokenAlone({ dcuId: dcu?.id ?? '', dcuSn: dcu?.sn ?? '', meterId: meter?.meterId ?? '', supplierId });
}
type Step = keyof Awaited<ReturnType<typeof stepsOf>>;

const isOff = async (target: Attacked, sn: string | undefined) => (await target.control('GET', `/relay/${sn}`)).state === 'disconnected';

async function attemptAlone(target: Attacked, names: readonly Step[]): Promise<string[]> {
  const steps = await stepsOf(target);
  const call = target.calls((await target.signIn('second.admin')).token);
  const codes: string[] = [];
  for (const name of names) {
    const { status, body } = await steps[name](call);
    codes.push(`${name} ${body?.code ?? status}`);
  }
  return codes;
}

const stolenToken: Attack = {
  ids: ['F4'],
  title: 'a stolen administrator token sends commands, and with the password creates two users who command and approve for one another',
  isShort: true,
  async attempt(target, trial) {
    const codes = await attemptAlone(target, ['disconnection', 'newUser', 'requirement', 'ceilingsToZero']);
    trial.refuses(
      `the token alone: ${codes.join(', ')}`,
      codes.every((code) => code.endsWith('PROOF_REQUIRED')),
    );
    const admin = await target.provedAs('admin');
    const [role] = (await admin('GET', '/manager/role?code=OPERATION')).body.items;
    const puppets: Call[] = [];
    for (const username of ['puppet.one', 'puppet.two']) {
      const fields = { username, name: username, password: target.password, mustChangePassword: false, roleIds: [role.id] };
      trial.control(`${username} is made`, (await admin('POST', '/manager/user', fields)).status === 201);
      const { body } = await guess(target.base, { username, password: target.password, from: '127.10.0.1' });
      const call = target.calls(String(body.access_token));
      await call('POST', '/auth/proof', { password: target.password });
      puppets.push(call);
    }
    const meter = target.north.relays[3];
    for (const puppet of puppets) {
      const order = await puppet('POST', '/action/relay', relayOrder(meter?.meterId));
      trial.refuses(`a puppet orders: ${order.status} ${order.code}`, order.code === 'RIGHT_TOO_NEW');
    }
    const operator = await target.provedAs('operator');
    const order = await operator('POST', '/action/relay', relayOrder(meter?.meterId));
    const isSwitched = await within(60_000, () => isOff(target, meter?.sn));
    trial.control(`the command of an operator with a rested right is executed (${order.status} ${order.code ?? ''})`, isSwitched);
    await operator('POST', '/action/relay', relayOrder(meter?.meterId, 'connect'));
  },
};

const zeroLimits: Attack = {
  ids: ['F6'],
  title: 'one user sets all limits of relay control to zero to keep supplies disconnected',
  async attempt(target, trial) {
    const operator = await target.provedAs('operator');
    const meter = target.north.relays[4];
    const before = (await operator('GET', '/action/relay/limits')).body;
    await operator('POST', '/action/relay', relayOrder(meter?.meterId));
    trial.control('a supply is disconnected', await within(60_000, () => isOff(target, meter?.sn)));
    const fresh = target.calls((await target.signIn('approver')).token);
    const steps = await stepsOf(target);
    trial.refuses('a token alone changes no limits', (await steps.ceilingsToZero(fresh)).body?.code === 'PROOF_REQUIRED');
    const mixed = await target.provedAs('mixed');
    const zero = await steps.ceilingsToZero(mixed);
    trial.control(`a user of one district sets them to zero (${zero.status} ${zero.body?.code ?? ''})`, zero.status === 200);
    const connected = await operator('POST', '/action/relay', relayOrder(meter?.meterId, 'connect'));
    // A limit of zero means that each command needs approval; that is a safeguard and leaves no supply disconnected (decision 123).
    const second = await target.provedAs('approver');
    const waiting = (await second('GET', '/action/approval?state=pending')).body.items as { id: string; taskId: string }[]; // as: the route's answer
    const held = waiting.find(({ taskId }) => taskId === connected.body.taskId);
    if (held !== undefined) await second('PUT', `/action/approval/${held.id}`, { decision: 'approve' });
    const isBack = await within(60_000, async () => !(await isOff(target, meter?.sn)));
    trial.refuses(
      `with all limits at zero the supply is reconnected${held === undefined ? '' : ' with the approval of a second user'}`,
      isBack,
    );
    const limits = ['maxMetersPerHour', 'maxKwPerHour', 'maxMetersPerDay', 'soloLimitPerHour', 'soloFromHour', 'soloToHour', 'spreadS'];
    const old = Object.fromEntries(limits.map((name) => [name, before[name]]));
    const asked = (await mixed('PUT', '/action/relay/limits', old)).body;
    trial.refuses('one person alone does not loosen them again', asked.maxMetersPerHour === 0);
    const after = (await second('POST', '/action/relay/limits/approval', { id: asked.pendingLimits?.id })).body;
    trial.control('limits of the last day are back at once with a second person', after.maxMetersPerHour === before.maxMetersPerHour);
  },
};

const silencing: Attack = {
  ids: ['F9'],
  title: 'restart, factory reset, cleared archive, link parameters and keys with a token alone, and 60 restarts by one user',
  async attempt(target, trial) {
    const names = ['restart', 'restartFromAssets', 'factoryReset', 'clearArchive', 'linkParameters', 'meterKeys', 'dcuKeys'] as const;
    const codes = await attemptAlone(target, names);
    trial.refuses(
      `the token alone: ${codes.join(', ')}`,
      codes.every((code) => code.endsWith('PROOF_REQUIRED')),
    );
    const steps = await stepsOf(target);
    const second = await target.provedAs('second.admin');
    const replies = await inParallel(60, 1, () => steps.restart(second));
    const ordered = replies.filter(({ status, body }) => status === 202 && body?.code === undefined).length;
    trial.control(`one person restarts DCUs (${ordered})`, ordered > 0);
    trial.refuses(`of 60 restarts ${ordered} were executed, the others wait for approval`, ordered <= 10);
    await second('POST', '/action/relay/stop', { reason: 'Attack' });
    const stopped = [];
    for (const name of [...names, 'disconnection'] as const) stopped.push(`${name} ${(await steps[name](second)).body?.code}`);
    trial.refuses(
      `under the emergency stop: ${stopped.join(', ')}`,
      stopped.every((code) => code.endsWith('RELAY_STOPPED')),
    );
    const released = await (await target.provedAs('admin'))('POST', '/action/relay/release', { reason: 'Attack over' });
    trial.control('another user releases the stop', released.status === 200);
  },
};

const firmware: Attack = {
  ids: ['F21', 'D18'],
  title: 'firmware without and with a wrong signature for a manufacturer with a key, the key removed by one user, and invalid files',
  isShort: true,
  async attempt(target, trial) {
    const admin = await target.provedAs('second.admin');
    const type = (await admin('GET', '/asset/meter-type?size=1')).body.items[0];
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const engineer = await target.provedAs('engineer');
    const { token } = await target.session('engineer');
    const image = Buffer.from((await target.control('GET', '/image?model=HES-MP&version=9.9.9&octets=2000')).base64, 'base64');
    const upload = (name: string, octets: Uint8Array) =>
      ask(target.base, `/api/upgrade/firmware/file?name=${encodeURIComponent(name)}`, { method: 'POST', token, octets });
    const file = await upload('image.bin', image);
    trial.control(`a firmware file is accepted (${file.status} ${file.code ?? ''})`, file.status === 201);
    const draft = (name: string, signature: string | null, fileId = file.body?.fileId) =>
      engineer('POST', '/upgrade/firmware', {
        name,
        version: name,
        supplierId: type.supplierId,
        targetKind: 'meter',
        typeIds: [type.id],
        imageIdentifier: name,
        upgradeReason: 'Attack',
        fileProvider: 'Attack',
        fileId,
        signature,
      });
    // Without a key a signature cannot be verified: the file is marked, and needs the approval of another user (decision 124).
    const unsignedImage = Buffer.from((await target.control('GET', '/image?model=HES-MP&version=9.9.7&octets=2000')).base64, 'base64');
    const early = await draft('before-the-key', null, (await upload('early.bin', unsignedImage)).body?.fileId);
    trial.refuses(
      `without a key an unsigned file is marked "${early.body?.signature}"`,
      early.status === 201 && early.body?.signature === 'none',
    );
    const alone = await engineer('PUT', `/upgrade/firmware/${early.body?.id}/approve`, { revision: early.body?.revision });
    trial.refuses(`and its uploader cannot release it: ${alone.code}`, alone.status === 403 || alone.code === 'FIRMWARE_OWN');
    trial.control(
      'a first key is kept',
      (await admin('PUT', `/upgrade/firmware-key/${type.supplierId}`, { publicKey: pem })).status === 204,
    );
    const unsigned = await draft('unsigned', null);
    trial.refuses(`without a signature: ${unsigned.code}`, unsigned.code === 'SIGNATURE_MISSING');
    const other = generateKeyPairSync('ed25519').privateKey;
    const forged = await draft('forged', sign(null, image, other).toString('base64'));
    trial.refuses(`signed by another key: ${forged.code}`, forged.code === 'SIGNATURE_WRONG');
    const genuine = await draft('genuine', sign(null, image, privateKey).toString('base64'));
    trial.control(`signed by the manufacturer it is accepted (${genuine.status} ${genuine.code ?? ''})`, genuine.status === 201);
    const removed = await admin('PUT', `/upgrade/firmware-key/${type.supplierId}`, { publicKey: '' });
    trial.refuses(`the key is removed by one user: ${removed.code}`, removed.code === 'APPROVAL_REQUIRED');
    const own = await engineer('PUT', `/upgrade/firmware/${genuine.body?.id}/approve`, { revision: genuine.body?.revision });
    trial.refuses(`the own draft is approved: ${own.code}`, own.status === 403 || own.code === 'FIRMWARE_OWN');
    const script = await upload('image.exe', Buffer.from('MZ'));
    trial.refuses(`a program instead of an image: ${script.code}`, script.status >= 400);
    const name = `hes-attack-${crypto.randomUUID()}.bin`;
    await upload(`../../../../../../tmp/${name}`, image);
    trial.refuses('a name with a path writes no file there', !existsSync(`/tmp/${name}`));
  },
};

export const orderAttacks = [stolenToken, zeroLimits, silencing, firmware];
