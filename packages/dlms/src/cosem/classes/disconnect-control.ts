import { attribute, cosemClass, method } from '../cosem-class.ts';
import { boolean, enumerated, integer, logicalName } from '../data.ts';

const MODES = { none: 0, mode1: 1, mode2: 2, mode3: 3, mode4: 4, mode5: 5, mode6: 6 } as const;

const state = {
  logicalName: attribute(1, logicalName),
  /** State of the physical relay: true = supply connected. */
  outputState: attribute(2, boolean),
  controlState: attribute(3, enumerated({ disconnected: 0, connected: 1, readyForReconnection: 2 })),
};
const methods = {
  remoteDisconnect: method(1, integer),
  remoteReconnect: method(2, integer),
};

/**
 * Disconnect control: the supply relay of a meter. Usual instance `0.0.96.3.10.255`.
 * @spec BB 4 (class_id 70, version 0)
 */
export const disconnectControl = cosemClass({
  id: 70,
  version: 0,
  name: 'Disconnect control',
  methodsAt: 0x20,
  attributes: {
    ...state,
    /** Modes 0 to 6: the permitted remote, manual and local transitions. */
    controlMode: attribute(4, enumerated(MODES)),
  },
  methods,
});

/** Disconnect control with mode 7. @spec BB 4 (class_id 70, version 1) */
export const disconnectControlV1 = cosemClass({
  id: 70,
  version: 1,
  name: 'Disconnect control',
  methodsAt: 0x20,
  attributes: { ...state, controlMode: attribute(4, enumerated({ ...MODES, mode7: 7 })) },
  methods,
});
