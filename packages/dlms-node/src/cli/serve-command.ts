import { serveDevices } from '../device-server.ts';
import { nodeCipher } from '../node-cipher.ts';
import { parseOptions, type Command } from './commands.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { octetsOfText, titleOf } from './opening.ts';
import { wholeNumber } from './meter-options.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = {
  host: { type: 'string' },
  port: { type: 'string' },
  serial: { type: 'string' },
  title: { type: 'string' },
  ek: { type: 'string' },
  ak: { type: 'string' },
  password: { type: 'string' },
  days: { type: 'string' },
  pdu: { type: 'string' },
  hdlc: { type: 'boolean' },
  udp: { type: 'boolean' },
} as const;

const FIRST_SAP = 1;

function framingOf({ hdlc, udp }: { hdlc?: boolean; udp?: boolean }): 'wrapper' | 'hdlc' | 'udp' {
  if (hdlc === true && udp === true) throw new UsageError('--hdlc and --udp', 'HDLC requires a connection: give one of them');
  return hdlc === true ? 'hdlc' : udp === true ? 'udp' : 'wrapper';
}

export const serveCommand: Command = {
  summary: 'act as a meter, for tests',
  help: `dlms serve [--port N] [--host ADDRESS] [--serial TEXT] [--title HEX] [--ek HEX --ak HEX] [--password TEXT] [--days N] [--pdu N] [--hdlc | --udp]

Runs a small meter on 127.0.0.1 (--host for others): clock, registers, a load profile of --days days (default 3),
relay, image transfer. --port defaults to 4059, 0 selects a free port; the first line of output states it as JSON.
With --hdlc it uses HDLC instead of wrapper frames, with --udp wrapper frames in datagrams.
Clients: 16 public; 2 without security; 3 with --password; 5, 6 and 7 with HLS by MD5, SHA-1 and SHA-256, 9 by mechanism 2; 1 with GMAC and ciphering, 4 with GMAC alone (both with --ek
and --ak). Behind a gateway header its address is its serial number. An interrupt (Ctrl+C) stops it.`,
  async run(args, console) {
    const { values, positionals } = parseOptions(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`, 'serve takes options only');
    const { ek, ak, serial = '1', password } = values;
    if ((ek === undefined) !== (ak === undefined)) throw new UsageError('only one key', 'give both --ek and --ak');
    const deviceOf = demoMeter({
      cipher: nodeCipher,
      serial,
      systemTitle: titleOf(values.title ?? '4845534D00000001'),
      keys: ek === undefined || ak === undefined ? undefined : { ek: octetsOfText('ek', ek), ak: octetsOfText('ak', ak) },
      password: password === undefined ? undefined : new TextEncoder().encode(password),
      now: () => Date.now(),
      days: wholeNumber('days', values.days ?? '3', [1, 365]),
      maxPduSize: wholeNumber('pdu', values.pdu ?? '1024', [64, 65_535]),
    });
    const server = await serveDevices({
      port: wholeNumber('port', values.port ?? '4059', [0, 65_535]),
      host: values.host ?? '127.0.0.1',
      framing: framingOf(values),
      deviceOf: (sap, address) =>
        sap === FIRST_SAP && (address === undefined || String.fromCharCode(...address) === serial) ? deviceOf() : undefined,
    });
    console.out(JSON.stringify({ ready: true, port: server.port }));
    await console.ended;
    await server.close();
    return 0;
  },
};
