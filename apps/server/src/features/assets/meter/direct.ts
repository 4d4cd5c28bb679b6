import { refuseDuplicate } from '#db/unique.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Tx } from '#db/context.ts';
import {
  deleteEndpoint,
  findConnections,
  insertEndpoints,
  updateEndpoint,
  type ConnectedMeter,
  type MeterConnection,
} from './direct-queries.ts';

const SN = { en: 'SN', zh: '编号' };

type KnownMeter = Omit<ConnectedMeter, 'kind' | 'host'>;

/** Gives direct meters their endpoint. Throws if a DCU has one of the serial numbers. */
const makeEndpoints = (tx: Tx, meters: readonly Pick<KnownMeter, 'id' | 'sn'>[]) =>
  refuseDuplicate(
    { field: 'sn', label: SN, value: meters.map(({ sn }) => sn).join(', ') },
    insertEndpoints(
      tx,
      meters.map(({ id }) => id),
    ),
  );

/**
 * Applies a changed connection to a meter, whose row has been written; `meter` is as before the change. A meter that is bound to a DCU has to be unbound before it becomes direct; one that is no longer
 * direct loses its endpoint with the sessions of it.
 */
export async function saveConnection(
  tx: Tx,
  meter: KnownMeter,
  wanted: Pick<KnownMeter, 'communicationMode'> & MeterConnection,
  now: Date,
): Promise<void> {
  const wasDirect = meter.communicationMode === 'direct';
  if (wanted.communicationMode !== 'direct') return wasDirect ? removeEndpoint(tx, meter) : undefined;
  if (!wasDirect && meter.dcuId !== null) throw new ApiError('ALREADY_BOUND');
  await makeEndpoints(tx, [meter]);
  const { connectionType, host, port, protocol, physicalAddress } = wanted;
  await updateEndpoint(tx, meter.id, { connectionType, host, port, protocol, physicalAddress }, now);
}

/** Gives the direct ones of these meters an endpoint, and takes it from the others. */
export async function alignEndpoints(tx: Tx, meterIds: readonly string[]): Promise<void> {
  const meters = await findConnections(tx, meterIds);
  await makeEndpoints(
    tx,
    meters.filter(({ communicationMode, dcuId }) => communicationMode === 'direct' && dcuId === null),
  );
  for (const meter of meters) if (meter.kind === 'meter' && meter.communicationMode !== 'direct') await removeEndpoint(tx, meter);
}

/** Removes the endpoint of a meter that is direct no longer, or is deleted. */
export async function removeEndpoint(tx: Tx, { id, dcuId }: Pick<KnownMeter, 'id' | 'dcuId'>): Promise<void> {
  if (dcuId !== null) await deleteEndpoint(tx, id, dcuId);
}
