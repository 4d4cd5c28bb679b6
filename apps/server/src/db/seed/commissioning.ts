import {
  authenticationType,
  communicateType,
  communicationMode,
  connectionType,
  dataChannel,
  dcuProtocol,
  meterPhase,
  recordedPhase,
} from '@hes/contract/states/device.ts';
import { z } from 'zod';

const hex = (octets: number) => z.string().regex(new RegExp(`^[0-9A-Fa-f]{${octets * 2}}$`));
const position = { longitude: z.number().nullish(), latitude: z.number().nullish() };
const text = z.string().min(1);
const key = hex(16).or(hex(32));
/** A title of 8 octets and two keys of 16, in suite 2 of 32. Absent when the keys of the device are unknown. */
const security = { systemTitle: hex(8).nullish(), ek: key.nullish(), ak: key.nullish() };

/** Commissioning file of a manufacturer: types, devices with their transformers, and keys. */
export const commissioningFile = z.object({
  timeZone: text.optional(),
  levels: z.array(
    z.object({
      code: text,
      name: text,
      type: z.enum(['company', 'region', 'district', 'substation', 'feeder', 'other']),
      parentCode: z.string().nullish(),
      ...position,
    }),
  ),
  suppliers: z.array(z.object({ code: text, name: text, flagId: z.string().nullish(), country: z.string().nullish() })),
  transformers: z.array(
    z.object({
      code: text,
      name: text,
      address: z.string().nullish(),
      ...position,
      levelCode: text,
      capacityKva: z.number().nullish(),
      ctRatio: z.number().nullish(),
      ptRatio: z.number().nullish(),
      masterMeterSn: z.string().nullish(),
    }),
  ),
  dcuTypes: z.array(
    z.object({
      code: text,
      name: text,
      supplierCode: text,
      heartbeatS: z.int(),
      parallelMeters: z.int(),
      apduSize: z.int(),
      maxMeters: z.int(),
      /** `gateway`: its DCUs only forward. Reference DCUs by default. */
      adapter: z.enum(['gateway']).optional(),
    }),
  ),
  meterTypes: z.array(
    z.object({
      code: text,
      name: text,
      supplierCode: text,
      phase: meterPhase,
      /** GMAC by default. */
      authenticationType: authenticationType.optional(),
      /** 0 by default. */
      securitySuite: z.literal([0, 1, 2]).optional(),
      accuracy: z.string().nullish(),
      voltage: z.string().nullish(),
      current: z.string().nullish(),
      /** Of direct meters; defaults as in the console. */
      heartbeatS: z.int().optional(),
      apduSize: z.int().optional(),
      allowedAddresses: z.array(text).optional(),
    }),
  ),
  dcus: z.array(
    z.object({
      sn: text,
      name: text,
      typeCode: text,
      transformerCode: z.string().nullish(),
      connectionType,
      host: z.string().nullish(),
      port: z.int().nullish(),
      communicateType,
      dataChannel,
      country: z.string().nullish(),
      ...security,
      ...position,
    }),
  ),
  meters: z.array(
    z.object({
      sn: text,
      typeCode: text,
      transformerCode: z.string().nullish(),
      dcuSn: z.string().nullish(),
      communicationMode,
      /** Of direct meters. */
      connectionType: connectionType.optional(),
      protocol: dcuProtocol.optional(),
      host: z.string().nullish(),
      port: z.int().nullish(),
      phase: recordedPhase,
      isMaster: z.boolean().default(false),
      isGenerator: z.boolean().default(false),
      customerNo: z.string().nullish(),
      customerName: z.string().nullish(),
      address: z.string().nullish(),
      ctRatio: z.number().default(1),
      ptRatio: z.number().default(1),
      /** Password, for types whose authentication needs one. */
      password: text.nullish(),
      masterKey: hex(16).nullish(),
      ...security,
      ...position,
    }),
  ),
});
export type CommissioningFile = z.infer<typeof commissioningFile>;
