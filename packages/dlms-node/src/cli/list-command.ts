import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { cosemClassOf } from '@hes/dlms/catalogue/classes.ts';
import { wellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { associationLn, associationLnV3 } from '@hes/dlms/cosem/classes/association-ln.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { parseOptions, type Command } from './commands.ts';
import { METER_HELP, METER_OPTIONS, meterTarget } from './meter-options.ts';
import { withMeter } from './meter-link.ts';

const OBJECT_LIST = { classId: 15, instance: obis('0.0.40.0.0.255'), attributeId: 2 };

interface ListedObject {
  classId: number;
  version: number;
  instance: Obis;
}

/** Decodes an object list of any version. */
function readList(data: Uint8Array): ListedObject[] {
  try {
    return decode(associationLn.attributes.objectList.codec, data);
  } catch (error) {
    // From version 3 on, access rights are bit sets.
    if (!(error instanceof DecodeError)) throw error;
    return decode(associationLnV3.attributes.objectList.codec, data);
  }
}

export const listCommand: Command = {
  summary: 'list the objects of a meter',
  help: `dlms list <host[:port]> [--json] [options]

Reads the object list of the current association: class, version, logical name, usual meaning.

${METER_HELP}`,
  async run(args, console) {
    const { values, positionals } = parseOptions(args, { ...METER_OPTIONS, json: { type: 'boolean' } });
    const { json, ...others } = values;
    const objects = await withMeter(meterTarget(positionals[0], others), async (meter) => readList(await meter.read(OBJECT_LIST)));
    for (const { classId, version, instance } of objects) {
      const name = cosemClassOf(classId, version)?.name ?? cosemClassOf(classId)?.name ?? '';
      const key = wellKnownKey(classId, instance) ?? '';
      if (json === true) console.out(JSON.stringify({ classId, version, ln: instance, name, key }));
      else console.out(`${String(classId).padStart(5)} v${version}  ${instance.padEnd(24)} ${name.padEnd(20)} ${key}`.trimEnd());
    }
    return 0;
  },
};
