import { sapAssignment } from '@hes/dlms/cosem/classes/sap-assignment.ts';
import { simulate } from '#devices/simulate.ts';

export interface SapState {
  /** Logical device name of the management device. */
  name: string;
}

/** One logical device per physical device: the management device at SAP 1. */
export const sapObject = simulate(sapAssignment, (state: SapState) => ({
  read: { assignmentList: () => [{ sap: 1, logicalDeviceName: Uint8Array.from(state.name, (letter) => letter.charCodeAt(0)) }] },
}));
