/**
 * A logical device, and ready behaviours of its objects, without I/O.
 * @module dlms/server
 */
export { LogicalDevice } from '../association/server.ts';
export {
  objectKey,
  publicClient,
  type AccessKind,
  type ClientRule,
  type CounterStore,
  type LogicalDeviceOptions,
  type ServedAssociation,
  type ServerObject,
} from '../association/server-options.ts';
export { associationObject, type AssociationView } from '../server/association-object.ts';
export { clockObject, DeviceClock, type ClockOptions } from '../server/clock.ts';
export { disconnectControlObject, Relay, type ControlMode, type ControlState } from '../server/disconnect-control.ts';
export { ImageStore, imageTransferObject, type ImageOptions } from '../server/image-transfer.ts';
export { Profile, profileObject, type ProfileOptions } from '../server/profile.ts';
export { Push, pushObject, type PushOptions } from '../server/push.ts';
export {
  dataObject,
  Demand,
  demandRegisterObject,
  extendedRegisterObject,
  registerObject,
  type DemandOptions,
  type Measured,
  type Stamped,
} from '../server/registers.ts';
export { scheduleObject, Schedule, Scripts, scriptTableObject, type Execution, type Script } from '../server/scripts.ts';
export {
  serverObject,
  type Behaviour,
  type DescribedObject,
  type MethodOutcome,
  type ObjectOptions,
  type Rights,
} from '../server/server-object.ts';
