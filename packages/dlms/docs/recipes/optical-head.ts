import { constants, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { ClientSession, Meter, openHdlc } from 'dlms-node';

/** A serial port of Linux or macOS as a stream; its speed is set before, by `stty -F /dev/ttyUSB0 9600`. */
function openPort(path: string): ReadStream {
  const port = new ReadStream(openSync(path, constants.O_RDWR | constants.O_NOCTTY)); // it writes, too
  port.setRawMode(true); // octets, not lines
  return port;
}

await using meter = await Meter.connect({
  client: 2,
  // `SerialPort` of the package serialport is such a stream, too, and sets the speed itself.
  open: async (clientSap) => new ClientSession(await openHdlc(openPort('/dev/ttyUSB0'), { clientSap, serverSap: 1, timeoutMs: 5000 })),
});
console.log((await meter.read('1.0.32.7.0.255')).text);
