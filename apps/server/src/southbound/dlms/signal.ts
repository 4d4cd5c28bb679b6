import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { BIT_ERRORS_PERCENT, type PacketService, type Registration, type UplinkReading } from '@hes/contract/states/uplink.ts';
import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import { dbmOf, gsmDiagnostic, gsmDiagnosticV1 } from '@hes/dlms/cosem/classes/gsm-diagnostic.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { ProfilePlace } from '#db/profile-places.ts';
import { decodedAnswer, valueOrNull } from '#field/decoded.ts';
import type { DcuLink } from '#southbound/dcu-parts.ts';
import { withoutModem } from '#southbound/without-modem.ts';

const { operator, status, psStatus, cellInfo, captureTime } = gsmDiagnosticV1.attributes;

const REGISTRATIONS: Record<ValueOf<typeof status.codec>, Registration> = {
  notRegistered: 'not_registered',
  registeredHome: 'registered_home',
  searching: 'searching',
  denied: 'denied',
  unknown: 'unknown',
  registeredRoaming: 'registered_roaming',
};

type Cell = ValueOf<typeof gsmDiagnostic.attributes.cellInfo.codec> & Partial<ValueOf<typeof cellInfo.codec>>;

const stepOf = (bitErrorRate: number): number | null => (bitErrorRate < BIT_ERRORS_PERCENT.length ? bitErrorRate : null);

const networkOf = ({ mobileCountryCode: country, mobileNetworkCode: network }: Cell): string | null =>
  country === undefined || network === undefined ? null : `${String(country).padStart(3, '0')}-${String(network).padStart(2, '0')}`;

/** Reads the mobile network status of the modem. A DCU whose object list lacks the object has no modem, which is no failure. */
export async function readSignal(
  { link, now: readAt, zone }: DcuLink,
  place: Pick<ProfilePlace, 'classId' | 'obis'>,
): Promise<Outcome<UplinkReading>> {
  const attributes = [operator, status, psStatus, cellInfo, captureTime];
  const object = { classId: place.classId, instance: obis(place.obis) };
  const read = await link.getList(attributes.map(({ id }) => ({ ...object, attributeId: id })));
  if (!read.ok) return read;
  const [called, registered, service, camped, captured] = read.value;
  if (camped?.ok === false) return camped.reason === 'OBJECT_UNDEFINED' ? ok(withoutModem(readAt)) : camped;
  // The number of fields tells the version: the cell info has seven in this version of the class, four in the previous one.
  const cell: Cell | null =
    valueOrNull(decodedAnswer(cellInfo.codec, camped)) ?? valueOrNull(decodedAnswer(gsmDiagnostic.attributes.cellInfo.codec, camped));
  if (cell === null) return failed('BAD_ANSWER');
  const at = valueOrNull(decodedAnswer(captureTime.codec, captured));
  const measuredMs = at === null ? null : toEpochMs(at, zone.deviationMinutes(readAt));
  const registration = valueOrNull(decodedAnswer(status.codec, registered));
  const packetService: PacketService | null = valueOrNull(decodedAnswer(psStatus.codec, service));
  return ok({
    readAt: new Date(readAt).toISOString(),
    hasModem: true,
    signalDbm: dbmOf(cell.signalQuality),
    bitErrorStep: stepOf(cell.bitErrorRate),
    operator: valueOrNull(decodedAnswer(operator.codec, called)),
    registration: registration === null ? null : REGISTRATIONS[registration],
    packetService,
    cellId: cell.cellId,
    locationId: cell.locationId,
    network: networkOf(cell),
    measuredAt: measuredMs === null ? null : new Date(measuredMs).toISOString(),
  });
}
