import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

const register = structure({ classId: longUnsigned, instance: logicalName });
const mask = structure({ name: octetString, registers: arrayOf(unsigned) });

/** Register activation: the registers that are active together, such as those of the current tariff. @spec BB 4 (class_id 6, version 0) */
export const registerActivation = cosemClass({
  id: 6,
  version: 0,
  name: 'Register activation',
  methodsAt: 0x30,
  attributes: {
    logicalName: attribute(1, logicalName),
    registerAssignment: attribute(2, arrayOf(register)),
    /** Registers by their position in the assignment, from 1. */
    maskList: attribute(3, arrayOf(mask)),
    activeMask: attribute(4, octetString),
  },
  methods: {
    addRegister: method(1, register),
    addMask: method(2, mask),
    deleteMask: method(3, octetString),
  },
});
