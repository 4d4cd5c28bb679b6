import { randomBytes } from 'node:crypto';

/** A call of the API over HTTP, by an attacker's session: status and body of the answer. */
export type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<Answer>;

export interface Answer {
  status: number;
  // any: bodies of refusals and of answers alike
  body: any;
}

/** Attempts of an attacker with a stolen token against one DCU, one meter and one supplier. */
export const tokenAlone = ({ dcuId, dcuSn, meterId, supplierId }: Record<'dcuId' | 'dcuSn' | 'meterId' | 'supplierId', string>) => ({
  restart: (send: Send) => send('POST', `/action/dcu-config/${dcuId}/restart`, { reason: 'x' }),
  restartFromAssets: (send: Send) => send('POST', `/asset/dcu/${dcuId}/restart`, { reason: 'x' }),
  factoryReset: (send: Send) => send('POST', `/action/dcu-config/${dcuId}/factory`, { sn: dcuSn, reason: 'x' }),
  clearArchive: (send: Send) => send('POST', '/asset/archive/clear', { dcuId, confirmSn: dcuSn }),
  linkParameters: (send: Send) =>
    send('POST', '/action/dcu-config-order/write', { dcuIds: [dcuId], values: { heartbeat_s: '60' }, reason: 'x' }),
  meterKeys: (send: Send) => send('PUT', `/asset/meter/${meterId}/keys`, freshKeys()),
  dcuKeys: (send: Send) => send('PUT', `/asset/dcu/${dcuId}/keys`, freshKeys()),
  firmwareKey: (send: Send) => send('PUT', `/upgrade/firmware-key/${supplierId}`, { publicKey: '' }),
  requirement: (send: Send) => send('PUT', '/manager/setting/secondFactor', { value: { requiredFor: 'nobody' }, version: 0 }),
  retention: (send: Send) => send('PUT', '/manager/setting/timeZone', { value: 'Asia/Shanghai', version: 0 }),
  disconnection: (send: Send) =>
    send('POST', '/action/relay', {
      requestId: crypto.randomUUID(),
      meterIds: [meterId],
      operation: 'disconnect',
      reason: 'x',
      workOrder: 'x',
    }),
  newUser: (send: Send, roleId = '1') =>
    send('POST', '/manager/user', {
      username: `puppet.${crypto.randomUUID().slice(0, 8)}`,
      name: 'Puppet',
      password: 'Quartz-River-77!x',
      mustChangePassword: false,
      roleIds: [roleId],
    }),
  ceilingsToZero: (send: Send) => send('PUT', '/action/relay/limits', NO_CEILING),
});

const freshKeys = () => ({ ek: randomBytes(16).toString('hex'), ak: randomBytes(16).toString('hex') });

/** Limits that prevent every switching, and so every reconnection. */
const NO_CEILING = {
  maxMetersPerHour: 0,
  maxKwPerHour: 0,
  maxMetersPerDay: 0,
  soloLimitPerHour: 0,
  soloFromHour: 0,
  soloToHour: 24,
  spreadS: 0,
};

/** Removes a page from the menu, and everything that depends on the menu. */
export const hidePage = (send: Send, moduleId: string) => send('DELETE', `/manager/module/${moduleId}`);
