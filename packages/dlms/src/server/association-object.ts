import { CURRENT_ASSOCIATION } from '../association/client-open.ts';
import { associationLn, associationLnV2, associationLnV3 } from '../cosem/classes/association-ln.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import type { Data } from '../cosem/data-value.ts';
import type { Obis } from '../cosem/obis.ts';
import { CONFORMANCE, type Conformance } from '../xdlms/conformance.ts';
import { DLMS_VERSION } from '../xdlms/initiate.ts';
import { serverObject, type DescribedObject } from './server-object.ts';

/** State of the association that an association object exposes. */
export interface AssociationView {
  clientSap: number;
  serverSap: number;
  /** All objects of the device. */
  objects(): readonly DescribedObject[];
  conformance: readonly Conformance[];
  /** Octets, in both directions. */
  maxPduSize: number;
  securitySetup: Obis;
  /** The octets of an object identifier, or null-data. */
  contextName?: Data;
  mechanismName?: Data;
  users?: readonly { id: number; name: string }[];
}

type Modes = AttributeValue<typeof associationLn, 'objectList'>;
type Bits = AttributeValue<typeof associationLnV3, 'objectList'>;
type AttributeMode = Modes[number]['accessRights']['attributes'][number]['accessMode'];

const READ = 1;
const WRITE = 2;
const INVOKE = 1;
const NULL: Data = { type: 'null' };

const modeOf = (read: boolean, write: boolean): AttributeMode => {
  if (read) return write ? 'readAndWrite' : 'readOnly';
  return write ? 'writeOnly' : 'noAccess';
};

/** The objects a client may access with its rights as modes, for versions 1 and 2. */
export function objectList(objects: readonly DescribedObject[], clientSap: number): Modes {
  return listObjects(objects, clientSap, (read, write) => modeOf(read, write), 'access' as const);
}

/** The same for version 3, with rights as bit sets. */
export function objectListV3(objects: readonly DescribedObject[], clientSap: number): Bits {
  return listObjects(objects, clientSap, (read, write) => (read ? READ : 0) | (write ? WRITE : 0), INVOKE);
}

function listObjects<A, M>(
  objects: readonly DescribedObject[],
  clientSap: number,
  mode: (read: boolean, write: boolean) => A,
  invocable: M,
) {
  return objects.flatMap((object) => {
    const { attributes, methods } = object.rightsOf(clientSap);
    if (attributes.length === 0 && methods.length === 0) return [];
    const { classId, version, instance } = object;
    const rights = attributes.map(({ id, read, write, selectors }) => ({
      attributeId: id,
      accessMode: mode(read, write),
      accessSelectors: selectors,
    }));
    const accessRights = { attributes: rights, methods: methods.map((methodId) => ({ methodId, accessMode: invocable })) };
    return [{ classId, version, instance, accessRights }];
  });
}

/** The current association object, version 1, 2 or 3. `LogicalDevice` serves reply_to_HLS before it dispatches to objects. */
export function associationObject(view: AssociationView, version: 1 | 2 | 3 = 1, instance: Obis = CURRENT_ASSOCIATION): DescribedObject {
  const { clientSap, users = [] } = view;
  const common = {
    associatedPartnersId: () => ({ clientSap, serverSap: view.serverSap }),
    applicationContextName: () => view.contextName ?? NULL,
    xdlmsContextInfo: () => ({
      conformance: CONFORMANCE.map((name) => (view.conformance.includes(name) ? '1' : '0')).join(''),
      maxReceivePduSize: view.maxPduSize,
      maxSendPduSize: view.maxPduSize,
      dlmsVersion: DLMS_VERSION,
      qualityOfService: 0,
      cypheringInfo: new Uint8Array(0),
    }),
    authenticationMechanismName: () => view.mechanismName ?? NULL,
    associationStatus: () => 'associated' as const,
    securitySetupReference: () => view.securitySetup,
  };
  const options = { instance };
  const modes = { ...common, objectList: () => objectList(view.objects(), clientSap) };
  const ofUsers = { userList: () => [...users], currentUser: () => users[0] ?? { id: 0, name: '' } };
  if (version === 1) return serverObject(associationLn, { read: modes }, options);
  if (version === 2) return serverObject(associationLnV2, { read: { ...modes, ...ofUsers } }, options);
  const bits = () => objectListV3(view.objects(), clientSap);
  return serverObject(associationLnV3, { read: { ...common, ...ofUsers, objectList: bits } }, options);
}
