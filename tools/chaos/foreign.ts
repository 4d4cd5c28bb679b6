import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { keysOf } from '../../apps/simulator/src/devices/keys.ts';
import { pythonStack, startPython } from '../../packages/dlms-node/test/interop/tools.ts';

/** The system title of the pydlms meter. */
export const FOREIGN_TITLE = '5059440000000001';
const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex');
const SECRET = hex(new TextEncoder().encode('12345678'));

export interface ForeignMeter {
  port: number;
  stop(): void;
}

/** Starts a meter of another DLMS stack (pydlms, in Python) with the keys of a simulated one; or returns the missing prerequisite. */
export async function startForeign(worldSeed: number, sn: string): Promise<ForeignMeter | { missing: string }> {
  const python = await pythonStack('pydlms');
  if ('missing' in python) return python;
  const { ek, ak } = keysOf(worldSeed, sn);
  const meter = { pdu: 256, ek: hex(ek), ak: hex(ak), password: SECRET };
  const child = startPython(python.pythonPath, 'pydlms_meter.py', [JSON.stringify({ meter })]);
  child.stderr.pipe(process.stderr);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]; // as: the event's arguments
  const { meter: port } = JSON.parse(line) as { meter: number }; // as: so the script prints it
  return { port, stop: () => void child.stdin.end() };
}
