import { associationLn, associationLnV2, associationLnV3 } from '../cosem/classes/association-ln.ts';
import { clock } from '../cosem/classes/clock.ts';
import { data } from '../cosem/classes/data.ts';
import { demandRegister } from '../cosem/classes/demand-register.ts';
import { disconnectControl } from '../cosem/classes/disconnect-control.ts';
import { extendedRegister } from '../cosem/classes/extended-register.ts';
import { profileGeneric } from '../cosem/classes/profile-generic.ts';
import { pushSetup } from '../cosem/classes/push-setup.ts';
import { register } from '../cosem/classes/register.ts';
import { sapAssignment } from '../cosem/classes/sap-assignment.ts';
import { securitySetup, securitySetupV1 } from '../cosem/classes/security-setup.ts';
import type { CosemClass } from '../cosem/cosem-class.ts';

/** All interface classes that are declared, older versions first. */
export const COSEM_CLASSES: readonly CosemClass[] = [
  data,
  register,
  extendedRegister,
  demandRegister,
  profileGeneric,
  clock,
  associationLn,
  associationLnV2,
  associationLnV3,
  sapAssignment,
  pushSetup,
  securitySetup,
  securitySetupV1,
  disconnectControl,
];

/** The class with this id, in this version or, without one, in the oldest that is declared. */
export function cosemClassOf(id: number, version?: number): CosemClass | undefined {
  return COSEM_CLASSES.find((declared) => declared.id === id && (version === undefined || declared.version === version));
}
