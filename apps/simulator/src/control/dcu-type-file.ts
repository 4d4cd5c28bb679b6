import { readFileSync } from 'node:fs';
import { faultsOf, type UncheckedShapes } from '@hes/dlms/profile/dcu-shape-faults.ts';
import type { DcuShapes } from '@hes/dlms/profile/dcu-shapes.ts';
import { REFERENCE_MODEL, type DcuModel } from '#devices/context.ts';

/** What the simulator needs of the file of a DCU type, as the console exports it. */
interface TypeFile {
  profile?: { body?: { adapter?: string; shapes?: UncheckedShapes } };
}

/** The model of DCUs that a type file describes. Throws when the file is not readable or its shapes have faults. */
export function modelIn(file: string): DcuModel {
  const body = (JSON.parse(readFileSync(file, 'utf8')) as TypeFile).profile?.body; // as: what follows checks the members that are used
  if (body === undefined) throw new Error(`${file} is no DCU type`);
  const shapes = body.shapes ?? (REFERENCE_MODEL.shapes as UncheckedShapes); // as: no member of the reference is undefined
  const faults = faultsOf(shapes).map(({ fault, at, detail }) => `${at}: ${fault} ${detail}`);
  if (faults.length > 0) throw new Error(`${file}: ${faults.join('; ')}`);
  return { isPlainGateway: body.adapter === 'gateway', shapes: shapes as DcuShapes }; // as: just checked
}
