import { attribute, cosemClass } from '../cosem-class.ts';
import { enumerated, logicalName, octetString } from '../data.ts';

/** Wireless Mode Q channel: the address of a device on a radio channel after EN 13757-5. @spec BB 4 (class_id 73, version 1) */
export const wirelessModeQChannel = cosemClass({
  id: 73,
  version: 1,
  name: 'Wireless Mode Q channel',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Whether an address was assigned since the last power-up. */
    addressState: attribute(2, enumerated({ notAssigned: 0, assigned: 1 })),
    deviceAddress: attribute(3, octetString),
    /** The group address in short-form addressing. */
    addressMask: attribute(4, octetString),
  },
  methods: {},
});
