import { baudRate } from '../baud-rate.ts';
import { attribute, cosemClass } from '../cosem-class.ts';
import { enumerated, logicalName, unsigned } from '../data.ts';

/** M-Bus slave port setup: the port of a device that an M-Bus master reads. @spec BB 4 (class_id 25, version 0) */
export const mBusSlavePortSetup = cosemClass({
  id: 25,
  version: 0,
  name: 'M-Bus slave port setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    defaultBaud: attribute(2, baudRate),
    /** The highest that the port has. */
    availableBaud: attribute(3, baudRate),
    addressState: attribute(4, enumerated({ notAssigned: 0, assigned: 1 })),
    busAddress: attribute(5, unsigned),
  },
  methods: {},
});
