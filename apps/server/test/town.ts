import type { CommissioningFile } from '../src/db/seed/commissioning.ts';

const KEY = '000102030405060708090A0B0C0D0E0F';

/** Two districts with a transformer each; a DCU and two meters under both. */
export function smallTown(): CommissioningFile {
  const sides = ['N', 'S'] as const;
  return {
    timeZone: 'Asia/Shanghai',
    levels: [
      { code: 'CITY', name: 'City', type: 'company', parentCode: null },
      ...sides.map((side) => ({ code: `D${side}`, name: `District ${side}`, type: 'district' as const, parentCode: 'CITY' })),
    ],
    suppliers: [{ code: 'ACME', name: 'Acme Meters', flagId: 'ACM', country: 'CN' }],
    transformers: sides.map((side) => ({
      code: `T${side}`,
      name: `Transformer ${side}`,
      levelCode: `D${side}`,
      capacityKva: 400,
      masterMeterSn: `M${side}0001`,
      longitude: 121.5,
      latitude: 31.2,
    })),
    dcuTypes: [{ code: 'DCU1', name: 'DCU one', supplierCode: 'ACME', heartbeatS: 60, parallelMeters: 2, apduSize: 4096, maxMeters: 1024 }],
    meterTypes: [
      { code: 'ONE', name: 'Single phase', supplierCode: 'ACME', phase: '1p2w', accuracy: '1', voltage: '230 V', current: '5(60) A' },
      { code: 'THREE', name: 'Three phase', supplierCode: 'ACME', phase: '3p4w', accuracy: '1', voltage: '3x230 V', current: '5(100) A' },
    ],
    dcus: sides.map((side) => ({
      sn: `DCU${side}0001`,
      name: `DCU ${side}`,
      typeCode: 'DCU1',
      transformerCode: `T${side}`,
      connectionType: 'dial_in' as const,
      communicateType: 'g4' as const,
      dataChannel: 'plc' as const,
      systemTitle: side === 'N' ? '4143410000000001' : '4143410000000002',
      ek: KEY,
      ak: KEY,
    })),
    meters: sides.flatMap((side) =>
      [1, 2].map((number) => ({
        sn: `M${side}000${number}`,
        typeCode: number === 1 ? 'THREE' : 'ONE',
        transformerCode: `T${side}`,
        dcuSn: `DCU${side}0001`,
        communicationMode: 'plc' as const,
        phase: number === 1 ? ('abc' as const) : ('a' as const),
        isMaster: number === 1,
        isGenerator: false,
        ctRatio: 1,
        ptRatio: 1,
        systemTitle: `41434D000000${side === 'N' ? '1' : '2'}00${number}`,
        ek: KEY,
        ak: KEY,
      })),
    ),
  };
}
