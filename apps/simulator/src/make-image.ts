import { makeImage } from '#devices/firmware-image.ts';

const USAGE =
  'usage: node apps/simulator/src/make-image.ts <model> <version> [octets] > image.bin     models: HES-MP, LYN-MR, HES-DC, HES-RT, HES-ST';
const USUAL_OCTETS = 20_000;

/** Writes a firmware file that simulated devices of a model accept, to try an upgrade with. */
const [model, version, octets] = process.argv.slice(2);
if (model === undefined || version === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 1;
} else process.stdout.write(makeImage({ model, version }, Number(octets ?? USUAL_OCTETS)));
