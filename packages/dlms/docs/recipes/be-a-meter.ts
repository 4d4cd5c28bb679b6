import { obis, type Data } from 'dlms';
import { clockObject, dataObject, DeviceClock, LogicalDevice, objectKey, registerObject } from 'dlms/server';
import { Meter, nodeCipher, serveDevices } from 'dlms-node';

let note: Data = { type: 'unsigned', value: 0 };
const clock = new DeviceClock({ now: Date.now, deviationMinutes: -60 });
const WATT_HOUR = 30;
const objects = [
  clockObject(clock, { instance: obis('0.0.1.0.0.255') }),
  registerObject(
    { value: () => ({ type: 'doubleLongUnsigned', value: 5009 }), scalerUnit: { scaler: 1, unit: WATT_HOUR } },
    { instance: obis('1.0.1.8.0.255') },
  ),
  dataObject(
    () => note,
    { instance: obis('0.0.96.1.1.255') },
    (value) => {
      note = value;
    },
  ),
];

let counter = 0;
const newDevice = () =>
  new LogicalDevice({
    objects: new Map(objects.map((object) => [objectKey(object.classId, object.instance), object])),
    systemTitle: Uint8Array.of(77, 84, 82, 0, 0, 0, 0, 1),
    cipher: nodeCipher,
    rules: new Map([[16, { mechanism: 'none', ciphered: false }]]), // authentication by client SAP
    maxPduSize: 1024,
    counters: { next: () => counter++, last: () => -1, accept: () => {} },
  });
const server = await serveDevices({ port: 0, host: '127.0.0.1', deviceOf: newDevice });

const client = await Meter.connect({ host: '127.0.0.1', port: server.port });
console.log((await client.read('1.0.1.8.0.255')).text);
await client.close();
await server.close();
