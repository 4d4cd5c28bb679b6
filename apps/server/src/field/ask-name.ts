import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { Channel } from './channel.ts';
import { createPublicDevice, readSerialNames } from './device-name.ts';
import { claimOf, isName, type Claim } from './identification.ts';
import { DeviceLink, type LinkTools } from './link.ts';
import type { TimeoutLimits } from './response-timeout.ts';
import { Trace } from './trace.ts';

/**
 * Asks a caller that says nothing who it is: the public client, which needs no keys, reads its logical device name and its serial number.
 * Undefined: it does not answer. A push that arrives meanwhile is taken as its claim.
 */
export function askName(
  connection: DlmsConnection,
  tools: Omit<LinkTools, 'channel'>,
  timeoutLimits: TimeoutLimits,
): Promise<Claim | undefined> {
  return new Promise((resolve, reject) => {
    const channel = new Channel(connection, {
      maxInFlight: 1,
      timeoutLimits,
      onNotification: ({ apdu }) => resolve(claimOf(apdu)),
      leadsTo: 'meter',
    });
    connection.onFrame((frame) => channel.receive(frame));
    readNames(channel, tools).then((names) => {
      channel.close('The caller was asked');
      resolve(names.length === 0 ? undefined : { names, systemTitle: undefined, isGreeting: false });
    }, reject);
  });
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
