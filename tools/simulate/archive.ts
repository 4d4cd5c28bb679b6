import { READING_ITEMS } from '../../apps/server/src/db/seed/reading-items.ts';
import { sealKeys, sealChange } from '../../apps/server/src/platform/device-keys.ts';
import type { Secrets } from '../../apps/server/src/platform/secrets.ts';
import type { Commissioning } from '../../apps/simulator/src/control/commissioning.ts';
import type { Store, Row } from './database/store.ts';

const CLIENT_SAP = 1;
const SERVER_SAP = 1;
const PERIOD_S = 900;

const octets = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** The archive of a freshly commissioned head-end, as far as queue and field engine use it. */
export function fillArchive(store: Store, file: Commissioning, secrets: Secrets): void {
  store.put('counter_mark', 'true', { id: true, through: 0 });
  for (const item of READING_ITEMS)
    store.put('obis_code', item.key, {
      key: item.key,
      obis: item.obis,
      class_id: item.classId,
      attribute: item.attribute,
      unit: item.unit,
    });
  const idOf = new Map<string, string>();
  const insert = (table: 'dcu_type' | 'meter_type' | 'dcu' | 'meter', code: string, row: Row): void =>
    void idOf.set(`${table}/${code}`, String(store.insert(table, row)['id']));
  const id = (table: string, code: string): string | null => idOf.get(`${table}/${code}`) ?? null;
  for (const { code, heartbeatS, parallelMeters, apduSize } of file.dcuTypes)
    insert('dcu_type', code, { code, heartbeat_s: heartbeatS, parallel_meters: parallelMeters, apdu_size: apduSize });
  for (const { code, authenticationType } of file.meterTypes)
    insert('meter_type', code, {
      code,
      client_sap: CLIENT_SAP,
      server_sap: SERVER_SAP,
      authentication_type: authenticationType ?? 'hls_gmac',
      security_suite: 0,
      ciphering: 'by_mechanism',
      key_agreement: 'none',
      addressing: 'logical',
      general_signing: false,
      association: 'negotiated',
      quirks: [],
      lpa_period_s: PERIOD_S,
      lpb_period_s: PERIOD_S,
    });
  for (const dcu of file.dcus) {
    const { ekSecret, akSecret } = sealKeys(secrets, 'dcu', dcu.sn, { ek: octets(dcu.ek), ak: octets(dcu.ak) });
    insert('dcu', dcu.sn, {
      sn: dcu.sn,
      dcu_type_id: id('dcu_type', dcu.typeCode),
      connection_type: dcu.connectionType,
      host: dcu.host,
      port: dcu.port,
      authentication_type: 'hls_gmac',
      client_sap: CLIENT_SAP,
      server_sap: SERVER_SAP,
      system_title: octets(dcu.systemTitle),
      ek_secret: ekSecret,
      ak_secret: akSecret,
      password_secret: null,
      invocation_counter: 1,
      online_status: 'never',
      last_comm_at: null,
      last_session_id: null,
    });
  }
  for (const meter of file.meters) {
    const { ekSecret, akSecret } = sealKeys(secrets, 'meter', meter.sn, { ek: octets(meter.ek), ak: octets(meter.ak) });
    const { passwordSecret = null } =
      meter.password === undefined ? {} : sealChange(secrets, 'meter', meter.sn, { password: meter.password });
    insert('meter', meter.sn, {
      sn: meter.sn,
      meter_type_id: id('meter_type', meter.typeCode),
      dcu_id: id('dcu', meter.dcuSn ?? ''),
      gateway_address: null,
      system_title: octets(meter.systemTitle),
      ek_secret: ekSecret,
      ak_secret: akSecret,
      password_secret: passwordSecret,
      invocation_counter: 1,
      peer_invocation_counter: -1,
      inventory_state: 'installed',
      marks: {},
      memory_id: null,
      last_comm_at: null,
      last_read_at: null,
      set_aside_until: null,
      set_aside_times: 0,
      set_aside_why: null,
      relay_state: 'unknown',
      relay_output: null,
      relay_mode: null,
    });
  }
  store.commit(0, false);
}
