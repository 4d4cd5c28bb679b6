import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { PUBLIC_CLIENT_SAP } from '@hes/dlms/association/server-options.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { octetString } from '@hes/dlms/cosem/data.ts';
import type { ItemResult, WorkItem, WorkReport } from '#tasks/operation.ts';
import type { Device } from '../devices.ts';
import { Trace } from '../trace.ts';
import { tellFound } from './discovery-store.ts';
import { USUAL_PLACES } from '../meter-places.ts';
import type { OperationTools } from './operation-tools.ts';

const SERVER_SAP = 1;
const PUBLIC_PDU_SIZE = 512;

/** A meter we have no keys of: anybody may ask its name. */
const strangerOf = (id: string, sn: string, address: string): Device => ({
  kind: 'dcu',
  // Of no table, and no meter of ours: nothing is remembered of it.
  id: `found-${id}`,
  sn,
  address: Buffer.from(address || sn, 'latin1'),
  clientSap: PUBLIC_CLIENT_SAP,
  serverSap: SERVER_SAP,
  access: { mechanism: 'none' },
  systemTitle: undefined,
  keys: undefined,
  maxPduSize: PUBLIC_PDU_SIZE,
  peerCounter: -1,
  ownMark: 0,
  places: USUAL_PLACES,
});

function nameIn(octets: Uint8Array): Outcome<string> {
  try {
    return ok(Buffer.from(decode(octetString, octets)).toString('latin1'));
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}

/** Asks meters that were found who they are, each for itself: one that is silent never fails its neighbours. */
export async function identify(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return { outcome: failed('DCU_OFFLINE'), traceId: undefined };
  const { db, clock } = tools.ctx;
  const ids = (Array.isArray(item.params['ids']) ? item.params['ids'] : []).map(String);
  const found = await db
    .selectFrom('discoveredMeter')
    .where('dcuId', '=', item.dcuId)
    .where('id', 'in', ids)
    .select(['id', 'runId', 'sn', 'address'])
    .orderBy('id')
    .execute();
  const trace = new Trace({ dcuId: item.dcuId, meterId: null, sessionId: session.rowId, taskId: item.taskId }, clock.now());
  const outcomes: Outcome<string>[] = [];
  try {
    for (const { id, runId, sn, address } of found) {
      const { cosemClass, instance } = WELL_KNOWN.LDN;
      const named = await session.links.withLink(strangerOf(id, sn, address), { priority: 'operator', trace }, async (link) => {
        const read = await link.get({ classId: cosemClass.id, instance, attributeId: cosemClass.attributes.value.id });
        return read.ok ? nameIn(read.value) : read;
      });
      outcomes.push(named);
      if (!named.ok) continue;
      const nameplate = { logicalDeviceName: named.value, readAt: new Date(clock.now()).toISOString() };
      await db
        .updateTable('discoveredMeter')
        .set({ nameplate: JSON.stringify(nameplate) })
        .where('id', '=', id)
        .execute();
      await tellFound(tools.ctx, item.dcuId, runId, [sn]);
    }
  } finally {
    trace.close(tools.traces);
  }
  return { outcome: summaryOf(outcomes), traceId: trace.frames.length === 0 ? undefined : trace.id };
}

function summaryOf(outcomes: readonly Outcome<string>[]): Outcome<ItemResult> {
  const silent = outcomes.filter((outcome) => !outcome.ok);
  const first = silent[0];
  if (first !== undefined && !first.ok && silent.length === outcomes.length) return failed(first.reason, first.detail);
  return ok({ counts: { identified: outcomes.length - silent.length, silent: silent.length } });
}
