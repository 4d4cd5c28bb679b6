import { Meter } from 'dlms-node';

await using meter = await Meter.connect({
  host: '127.0.0.1',
  port: 4059,
  keys: { ek: '000102030405060708090A0B0C0D0E0F', ak: 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF' },
});
// HLS with GMAC has proved both sides; every request and response is encrypted and authenticated.
const energy = await meter.read('1.0.1.8.0.255');
console.log(typeof energy.value, energy.unit);
