import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { Channel } from './channel.ts';
import { createPublicDevice, readSerialNames } from './device-name.ts';
import { claimOf, isName } from './identification.ts';
import { DeviceLink, type LinkTools } from './link.ts';
import { copyOf, type Claimed } from './listener.ts';
import type { TimeoutLimits } from './response-timeout.ts';
import { Trace } from './trace.ts';

/** Time for the first response in each framing. Longer than the round trip of NB-IoT; a caller in the other framing waits for it. */
const FIRST_RESPONSE_MS = 7_000;

/**
 * Asks a caller that says nothing who it is: the public client, which needs no keys, reads its logical device name and its serial number.
 * It asks in the wrapper, and a caller that has sent no octet is asked again in HDLC, at the logical device 1 without physical address.
 * Undefined: it does not answer. A push that arrives meanwhile is taken as its claim.
 */
export function askName(
  connection: DlmsConnection,
  tools: Omit<LinkTools, 'channel'>,
  limits: TimeoutLimits,
): Promise<Pick<Claimed, 'claim' | 'push'> | undefined> {
  const timeoutLimits = { ...limits, firstMs: Math.min(FIRST_RESPONSE_MS, limits.firstMs ?? FIRST_RESPONSE_MS) };
  return new Promise((resolve, reject) => {
    const channel = new Channel(connection, {
      maxInFlight: 1,
      timeoutLimits,
      onNotification: (message) => {
        const claim = claimOf(message.apdu);
        if (claim !== undefined) resolve({ claim, push: claim.isGreeting ? undefined : copyOf(message) });
      },
      leadsTo: 'meter',
    });
    connection.onFrame((frame) => channel.receive(frame));
    askInBoth(connection, () => readNames(channel, tools)).then((names) => {
      channel.close('The caller was asked');
      resolve(names.length === 0 ? undefined : { claim: { names, systemTitle: undefined, isGreeting: false }, push: undefined });
    }, reject);
  });
}

async function askInBoth(connection: DlmsConnection, read: () => Promise<string[]>): Promise<string[]> {
  const names = await read();
  if (names.length > 0 || connection.closed || connection.bytesIn > 0) return names;
  // A device in HDLC skips the request in the wrapper, which contains no flag.
  connection.assumeHdlc();
  return read();
}

async function readNames(channel: Channel, tools: Omit<LinkTools, 'channel'>): Promise<string[]> {
  // The trace is not stored, because the caller is not identified yet.
  const trace = new Trace({ dcuId: '', meterId: null, sessionId: null }, tools.now());
  const device = createPublicDevice('caller', '', undefined);
  const link = new DeviceLink(device, { mechanism: 'none' }, { ...tools, channel }, { priority: 'operator', trace });
  const opened = await link.open(1);
  if (!opened.ok) return [];
  const names = (await readSerialNames(link)).filter(isName);
  link.release();
  return names;
}
