import { fromHex } from '../../src/codec/hex.ts';
import { required } from '../../src/security/cipher.ts';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';

/** A GET request, and the header of a general-ciphering or general-signing APDU that carries it from client to meter. */
export const PLAIN = fromHex('C001C100080000010000FF0200');
export const [CLIENT, METER] = [fromHex('4845530000000001'), fromHex('4D4D4D0000BC614E')];
export const header = { transactionId: fromHex('0102030405060708'), originatorSystemTitle: CLIENT, recipientSystemTitle: METER };

export const publicKeyOf = required(nodeCipher.publicKeyOf, 'publicKeyOf');

/** A key whose octets have one value. */
export const filled = (size: number, value: number) => new Uint8Array(size).fill(value);
