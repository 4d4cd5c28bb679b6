import { randomBytes } from 'node:crypto';
import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { keySizeOf } from '@hes/dlms/security/cipher.ts';
import { wrapKeys } from '@hes/dlms/security/key-transfer.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { MeterDevice } from '#field/devices.ts';
import type { DeviceLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { DCU_IS_OFFLINE, overLink } from '#field/operations/over-link.ts';
import { methodRef } from '@hes/dlms/xdlms/cosem-object.ts';
import { cosemObjectOf } from '#field/cosem-object.ts';
import { openKeys, openMasterKey, sealKeys } from '#platform/device-keys.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { dropSentKeys, findMasterKey, findSentKeys, storeSentKeys, useSentKeys, type SealedKeys } from './store.ts';

/** Failures that mean that the meter uses other keys. */
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
  // A meter restarts its invocation counter with a new key.
  const peerCounter = keys === device.keys ? device.peerCounter : -1;
  return overLink(tools, item, { session, device: { ...device, keys, peerCounter } }, async ({ link }) => {
    const outcome = await work(link);
    // The next association may use other keys.
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

/** A successful read confirms both keys: the association uses the authentication key, and each service the encryption key. */
async function confirmKeys(link: DeviceLink, device: MeterDevice): Promise<Outcome<ItemResult>> {
  const read = await link.read(WELL_KNOWN.LDN, 'value');
  return read.ok || read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED' ? done(device) : read;
}

/** Tests which keys the meter uses: the sent ones, which then replace the former keys, or the former ones. */
async function settleTransfer(transfer: Transfer, sent: SealedKeys): Promise<WorkReport | 'former'> {
  const { tools, device } = transfer;
  const { ctx } = tools;
  const proof = await withKeys(transfer, openKeys(ctx.secrets, 'meter', device.sn, sent), (link) => confirmKeys(link, device));
  if (proof.outcome.ok) {
    await commitChanges(
      ctx,
      (tx) => useSentKeys(tx, device.id, new Date(ctx.clock.now())),
      () => [devicesChanged('meter', [device.id])],
    );
    return proof;
  }
  if (!OTHER_KEYS.has(proof.outcome.reason)) return proof;
  const former = await withKeys(transfer, device.keys, (link) => confirmKeys(link, device));
  // The meter accepts neither: the sent keys stay stored, and an engineer must check the meter.
  if (!former.outcome.ok) return former;
  await dropSentKeys(ctx.db, device.id);
  return 'former';
}

/** Generates and stores new keys before sending them, because the meter may use them even if its response is lost. */
async function sendKeys(transfer: Transfer, masterKey: Buffer): Promise<WorkReport> {
  const { tools, item, device } = transfer;
  const { db, secrets } = tools.ctx;
  const size = keySizeOf(device.suite);
  const keys = { ek: randomBytes(size), ak: randomBytes(size) };
  const sealed = sealKeys(secrets, 'meter', device.sn, keys);
  const report = await withKeys(transfer, device.keys, async (link) => {
    await storeSentKeys(db, { meterId: device.id, sn: device.sn, taskId: item.taskId, ...sealed });
    const ref = methodRef(cosemObjectOf(device.objectMap, 'SECURITY'), 'globalKeyTransfer');
    const invoked = await link.action(ref, wrapKeys(nodeCipher, masterKey, keys));
    if (!invoked.ok) return invoked;
    link.abandon();
    return ok({});
  });
  if (report.outcome.ok) {
    const settled = await settleTransfer(transfer, sealed);
    if (settled !== 'former') return settled;
    return { ...report, outcome: failed('READ_BACK_DIFFERS', 'The meter accepted new keys and still uses the former ones') };
  }
  // After an explicit refusal the meter keeps its former keys.
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
    // An earlier attempt ended without a response.
    const settled = await settleTransfer(transfer, sent);
    if (settled !== 'former') return settled;
  }
  const sealed = await findMasterKey(db, device.id);
  if (sealed === null || device.keys === undefined)
    return { outcome: failed('KEYS_MISSING', 'No master key is stored for this meter'), traceId: undefined };
  return sendKeys(transfer, openMasterKey(secrets, 'meter', device.sn, sealed));
}

/** The operation that transfers new keys to meters. */
export const keyTransferOperations = (tools: OperationTools): Pick<Operations, 'key_transfer'> => ({
  key_transfer: (item) => transferKeys(tools, item),
});
