/** `npm run interop`: drives meters of independent DLMS stacks through the API of the product and compares what it stores. */
import { parseArgs } from 'node:util';
import { runTool, say, sayOn, Trouble } from '../lib/say.mjs';
import { PEERS } from './matrix.ts';
import { runMatrix } from './run-matrix.ts';

const HELP = `npm run interop -- [--peer pydlms,jdlms] [--only TEXT] [--verbose] [--json]

Starts the product in a separate folder and meters of independent DLMS stacks (Gurux for Java and for Python, pydlms, jDLMS): as direct
meters and behind plain gateways, dialling in and dialled, with the wrapper and with HDLC, with every authentication and suite of each
stack. Through the HTTP API only, registers and load profiles are read, clocks set, relays switched, and pushes received. A cell passes
when the stored value is the one that the peer holds, and when the peer itself reports the effect.

--peer runs some peers, --only the cells whose name contains a text ("hls_gmac suite 0, wrapper, direct in, push"), --verbose also prints
the log of the product. --json prints one line: {"cells":n,"passed":n,"failed":[…],"skipped":[…]}. The exit code is 0 if no cell failed.`;

await runTool(async () => {
  const { values } = parseArgs({
    options: {
      peer: { type: 'string' },
      only: { type: 'string', default: '' },
      verbose: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  if (values.json) sayOn(process.stderr);
  const names = values.peer?.split(',');
  const unknown = names?.filter((name) => !PEERS.some((peer) => peer.name === name)) ?? [];
  if (unknown.length > 0) throw new Trouble(`unknown peer ${unknown.join(', ')}; known: ${PEERS.map(({ name }) => name).join(', ')}`);
  const peers = PEERS.filter(({ name }) => names?.includes(name) ?? true);
  const begun = performance.now();
  const result = await runMatrix({ peers, isWanted: (cell) => cell.includes(values.only), verbose: values.verbose });
  for (const { cell, why } of result.failed) say(`failed: ${cell}: ${why}`);
  for (const { peer, why } of result.skipped) say(`skipped: ${peer}: ${why}`);
  say(`${result.passed} of ${result.cells} cells passed in ${Math.round((performance.now() - begun) / 1000)} s`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return result.failed.length === 0 ? 0 : 1;
});
