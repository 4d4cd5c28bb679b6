import { CURRENT_ASSOCIATION } from '../association/client-open.ts';
import type { ShortNamedObject } from '../catalogue/short-names.ts';
import { associationSn } from '../cosem/classes/association-sn.ts';
import { obis, type Obis } from '../cosem/obis.ts';
import { serverObject, type DescribedObject } from './server-object.ts';

const NO_SECURITY_SETUP = obis('0.0.0.0.0.0');

/** The current association of a server with short names: its objects with their base names, without access rights. */
export const associationSnObject = (
  objects: () => readonly ShortNamedObject[],
  { instance = CURRENT_ASSOCIATION, securitySetup = NO_SECURITY_SETUP }: { instance?: Obis; securitySetup?: Obis } = {},
): DescribedObject =>
  serverObject(
    associationSn,
    { read: { objectList: () => [...objects()], accessRightsList: () => [], securitySetupReference: () => securitySetup } },
    { instance },
  );
