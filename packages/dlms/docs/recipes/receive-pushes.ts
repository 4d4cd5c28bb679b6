import { fromHex, toHex } from 'dlms';
import { nodeCipher, PushListener } from 'dlms-node';

/** Keys and the highest counter that was accepted, by system title. Keep the counter in a database. */
const meters = new Map([
  [
    '4845534D00000001',
    { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF'), lastCounter: -1 },
  ],
]);

await using listener = await PushListener.listen({
  port: 4060,
  keysOf(title) {
    const known = meters.get(toHex(title));
    return known && { cipher: nodeCipher, keys: known, lastCounter: known.lastCounter };
  },
  onRejected: (error, remote) => console.error(remote, error.message),
});

for await (const { systemTitle, counter, body } of listener) {
  const known = systemTitle && meters.get(toHex(systemTitle));
  if (known === undefined || counter === undefined) continue; // a plain push: nothing proves its sender
  known.lastCounter = counter;
  console.log(toHex(systemTitle ?? new Uint8Array()), body);
  break;
}
