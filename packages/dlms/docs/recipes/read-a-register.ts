import { Meter } from 'dlms-node';

await using meter = await Meter.connect({ host: '127.0.0.1', port: 4059, client: 2 });
const voltage = await meter.read('1.0.32.7.0.255');
console.log(voltage.value, voltage.unit); // a number, scaled
console.log(voltage.text, voltage.raw); // all digits, and the value as the meter sent it
