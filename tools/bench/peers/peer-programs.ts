import path from 'node:path';
import { javaStack, pythonStack } from '../../../packages/dlms-node/test/interop/tools.ts';
import type { Command } from './peer-client.ts';

const HERE = import.meta.dirname;

/** A client of an independent stack: the command that runs it, or the reason for its absence. */
export interface PeerProgram {
  name: string;
  command(): Promise<Command | { missing: string }>;
}

function java(name: string, stack: Parameters<typeof javaStack>[0], program: string): PeerProgram {
  return {
    name,
    async command() {
      const found = await javaStack(stack, path.join(HERE, `${program}.java`), [path.join(HERE, 'PeerLoop.java')]);
      if ('missing' in found) return found;
      return { program: 'java', args: ['-cp', found.classPath, program] };
    },
  };
}

function python(name: string, stack: Parameters<typeof pythonStack>[0], program: string): PeerProgram {
  return {
    name,
    async command() {
      const found = await pythonStack(stack);
      if ('missing' in found) return found;
      return { program: 'python3', args: [path.join(HERE, program)], env: { PYTHONPATH: found.pythonPath, PYTHONDONTWRITEBYTECODE: '1' } };
    },
  };
}

export const PEER_PROGRAMS: readonly PeerProgram[] = [
  java('Gurux for Java 4.0.47', 'gurux', 'GuruxPeer'),
  java('jDLMS 1.8.0', 'jdlms', 'JdlmsPeer'),
  python('Gurux for Python 1.0.203', 'gurux', 'gurux_peer.py'),
  python('dlms-cosem 25.1.0', 'dlmsCosem', 'dlms_cosem_peer.py'),
  python('pydlms-client 0.1.0', 'pydlms', 'pydlms_peer.py'),
];
