import { baudRate } from '../baud-rate.ts';
import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName } from '../data.ts';

/** M-Bus master port setup: the port through which a device reads M-Bus slaves. @spec BB 4 (class_id 74, version 0) */
export const mBusMasterPortSetup = cosemClass({
  id: 74,
  version: 0,
  name: 'M-Bus master port setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    communicationSpeed: attribute(2, baudRate),
  },
  methods: {},
});
