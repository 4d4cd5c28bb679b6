import { Meter } from 'dlms-node';

await using meter = await Meter.connect({
  host: '127.0.0.1',
  port: 4061, // a serial server or modem, with a meter behind it
  client: 2,
  hdlc: { physicalAddress: 17, parameters: { maxInformationReceive: 512, maxInformationTransmit: 512 } },
});
console.log((await meter.read('1.0.32.7.0.255')).text);
