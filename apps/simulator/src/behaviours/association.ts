import { associationLn } from '@hes/dlms/cosem/classes/association-ln.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { type SimulatedObject, simulate } from '#devices/simulate.ts';
import { SECURITY_SETUP } from './security.ts';

export interface AssociationState {
  /** All objects of the device; called only when a client reads the list. */
  objects(): SimulatedObject[];
  clientSap: number;
  serverSap: number;
}

/** The objects visible to a client. HLS authentication is handled by the association itself, before object access. */
export const associationObject = simulate(associationLn, (state: AssociationState) => ({
  read: {
    objectList: () => state.objects().map(listed),
    associatedPartnersId: () => ({ clientSap: state.clientSap, serverSap: state.serverSap }),
    associationStatus: () => 'associated' as const,
    securitySetupReference: () => SECURITY_SETUP,
  },
}));

const PROFILE_CLASS = 7;
const BUFFER = 2;

function listed(object: SimulatedObject): {
  classId: number;
  version: number;
  instance: Obis;
  accessRights: {
    attributes: { attributeId: number; accessMode: 'readOnly' | 'readAndWrite'; accessSelectors: number[] | null }[];
    methods: { methodId: number; accessMode: 'access' }[];
  };
} {
  const { attributes, methods } = object.offers();
  return {
    classId: object.classId,
    version: object.version,
    instance: object.instance,
    accessRights: {
      attributes: attributes.map(({ id, isWritable }) => ({
        attributeId: id,
        accessMode: isWritable ? 'readAndWrite' : 'readOnly',
        accessSelectors: object.classId === PROFILE_CLASS && id === BUFFER ? [1, 2] : null,
      })),
      methods: methods.map((methodId) => ({ methodId, accessMode: 'access' })),
    },
  };
}
