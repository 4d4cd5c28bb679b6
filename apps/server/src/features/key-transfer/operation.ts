import { randomBytes } from 'node:crypto';
import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { securitySetup } from '@hes/dlms/cosem/classes/security-setup.ts';
import { wrapKeys } from '@hes/dlms/security/key-transfer.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { MeterDevice } from '#field/devices.ts';
import type { DeviceLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { DCU_IS_OFFLINE, overLink } from '#field/operations/over-link.ts';
import { cosemObjectOf, readAttribute } from '#field/typed-link.ts';
import { announceDevices } from '#db/device-changes.ts';
import { openKeys, openMasterKey, sealKeys } from '#platform/device-keys.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { dropSentKeys, findMasterKey, findSentKeys, keepSentKeys, useSentKeys, type SealedKeys } from './store.ts';

/** Of suite 0, the only one that is spoken. */
const KEY_OCTETS = 16;

/** Reasons that say: the meter has other keys than these. */
const OTHER_KEYS: ReadonlySet<ReasonCode> = new Set(['AUTH_FAILED', 'DECRYPT_FAILED', 'ASSOC_REFUSED']);

type Item = WorkItem<'key_transfer'>;

interface Transfer {
  tools: OperationTools;
  item: Item;
  device: MeterDevice;
}

/** Runs `work` over a new association with the meter under these keys. */
function withKeys(
  { tools, item, device }: Transfer,
  keys: MeterDevice['keys'],
  work: (link: DeviceLink) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return Promise.resolve(DCU_IS_OFFLINE);
  // A meter counts from the beginning with a new key.
  const peerCounter = keys === device.keys ? device.peerCounter : -1;
  return overLink(tools, item, { session, device: { ...device, keys, peerCounter } }, async ({ link }) => {
    const outcome = await work(link);
    // The next association may be under other keys.
    link.release();
    return outcome;
  });
}

const done = (device: MeterDevice): Outcome<ItemResult> =>
  ok({
    values: [
      {
        item: 'key_transfer',
        obis: cosemObjectOf(device.objectMap, 'SECURITY').instance,
        value: 'EK, AK',
        unit: '',
        at: null,
        raw: null,
        scaler: null,
        reasonCode: null,
      },
    ],
  });

/** An association is the proof: it takes the authentication key, and every service of it the encryption key. */
async function prove(link: DeviceLink, device: MeterDevice): Promise<Outcome<ItemResult>> {
  const read = await readAttribute(link, WELL_KNOWN.LDN, 'value');
  return read.ok || read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED' ? done(device) : read;
}

/** Finds out which keys the meter uses: those that were sent, which then take the place of the former ones, or still the former ones. */
async function settle(transfer: Transfer, sent: SealedKeys): Promise<WorkReport | 'former'> {
  const { tools, device } = transfer;
  const { ctx } = tools;
  const proof = await withKeys(transfer, openKeys(ctx.secrets, 'meter', device.sn, sent), (link) => prove(link, device));
  if (proof.outcome.ok) {
    await useSentKeys(ctx, device.id);
    announceDevices(ctx, 'meter', [device.id]);
    return proof;
  }
  if (!OTHER_KEYS.has(proof.outcome.reason)) return proof;
  const former = await withKeys(transfer, device.keys, (link) => prove(link, device));
  // Under neither: the keys that were sent stay, and an engineer has to look at the meter.
  if (!former.outcome.ok) return former;
  await dropSentKeys(ctx.db, device.id);
  return 'former';
}

/** New keys, kept before they are sent: the meter may use them although its answer is lost. */
async function send(transfer: Transfer, masterKey: Buffer): Promise<WorkReport> {
  const { tools, item, device } = transfer;
  const { db, secrets } = tools.ctx;
  const keys = { ek: randomBytes(KEY_OCTETS), ak: randomBytes(KEY_OCTETS) };
  const sealed = sealKeys(secrets, 'meter', device.sn, keys);
  const report = await withKeys(transfer, device.keys, async (link) => {
    await keepSentKeys(db, { meterId: device.id, sn: device.sn, taskId: item.taskId, ...sealed });
    const ref = {
      classId: securitySetup.id,
      instance: cosemObjectOf(device.objectMap, 'SECURITY').instance,
      methodId: securitySetup.methods.globalKeyTransfer.id,
    };
    const invoked = await link.invoke(ref, wrapKeys(nodeCipher, masterKey, keys));
    if (!invoked.ok) return invoked;
    link.abandon();
    return ok({});
  });
  if (report.outcome.ok) {
    const settled = await settle(transfer, sealed);
    if (settled !== 'former') return settled;
    return { ...report, outcome: failed('READ_BACK_DIFFERS', 'The meter accepted new keys and still uses the former ones') };
  }
  // A refusal is an answer, and the keys are what they were.
  if (isRefused(report)) await dropSentKeys(db, device.id);
  return report;
}

const REFUSALS: ReadonlySet<ReasonCode> = new Set([
  'ACCESS_DENIED',
  'OBJECT_UNDEFINED',
  'TYPE_MISMATCH',
  'HARDWARE_FAULT',
  'TEMPORARY_FAILURE',
]);
const isRefused = ({ outcome }: WorkReport): boolean => !outcome.ok && REFUSALS.has(outcome.reason);

async function transferKeys(tools: OperationTools, item: Item): Promise<WorkReport> {
  const device = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  if (device === undefined) return { outcome: failed('INTERNAL', 'There is no such meter'), traceId: undefined };
  const { db, secrets } = tools.ctx;
  const transfer = { tools, item, device };
  const sent = await findSentKeys(db, device.id);
  if (sent !== undefined) {
    // An earlier attempt ended without an answer.
    const settled = await settle(transfer, sent);
    if (settled !== 'former') return settled;
  }
  const sealed = await findMasterKey(db, device.id);
  if (sealed === null || device.keys === undefined)
    return { outcome: failed('KEYS_MISSING', 'No master key is stored for this meter'), traceId: undefined };
  return send(transfer, openMasterKey(secrets, 'meter', device.sn, sealed));
}

/** Gives meters new keys. */
export const keyTransferOperations = (tools: OperationTools): Pick<Operations, 'key_transfer'> => ({
  key_transfer: (item) => transferKeys(tools, item),
});
