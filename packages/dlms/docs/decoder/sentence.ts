import type { DecodeError, DecodeFault } from '@hes/dlms/entry/root.ts';

const hexOctet = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');
/** A number with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function reasonOf(fault: DecodeFault): string {
  switch (fault.code) {
    case 'TRUNCATED':
      return `The message ends too early: ${counted(fault.needed, 'octet')} needed, ${fault.left} left.`;
    case 'TRAILING_BYTES':
      return `The message is complete, but ${counted(fault.left, 'octet')} more ${fault.left === 1 ? 'follows' : 'follow'}.`;
    case 'UNEXPECTED_OCTET':
      return `Octet ${hexOctet(fault.found)} stands where ${hexOctet(fault.expected)} has to be.`;
    case 'UNKNOWN_TAG':
      return `Tag ${hexOctet(fault.tag)} has no meaning here.`;
    case 'UNKNOWN_ENUM':
      return `Value ${fault.value} is not one of those that the standard lists.`;
    case 'BAD_LENGTH':
      return `A length of ${fault.length} does not fit here.`;
    case 'BAD_VALUE':
      return `The value is not valid: ${fault.reason}.`;
    case 'TOO_DEEP':
      return `Arrays and structures are nested more than ${fault.limit} deep.`;
    case 'NOT_CHECKED':
      return 'The message is protected in a way that cannot be checked with these keys.';
    case 'NOT_AUTHENTIC':
      return 'The message was not made with these keys and this system title, or it was changed.';
    case 'COUNTER_NOT_RISING':
      return `Invocation counter ${fault.counter} is not above ${fault.last}.`;
  }
}

/** A broken message in words, with the place of the fault. */
export function sentenceOf({ fault, offset, path }: DecodeError): string {
  const place = path === '' ? `Octet ${offset}` : `Octet ${offset}, in ${path}`;
  return `${reasonOf(fault)} (${place}.)`;
}
