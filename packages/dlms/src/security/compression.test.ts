import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { CLIENT_TITLE, failureOf, KEYS, LONG, METER_TITLE, REGISTER, AssociationWorld } from '../../test/support/association-world.ts';
import { runExchange } from '../association/exchange.ts';
import type { ClientRule } from '../association/server-options.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { compressV44 } from '../compression/v44-compress.ts';
import { protectGeneralCiphering, unprotectGeneralCiphering } from './general-protection.ts';
import { protect, protectBody, initializationVector, readCipheredApdu, unprotect, type Protection } from './protection.ts';

const PLAIN = fromHex('C401C10001040204120003020412000302041200030204120003');
const COMPRESSED = 0x80;
const sender: Protection = {
  cipher: nodeCipher,
  keys: KEYS,
  policy: 'authEnc',
  systemTitle: CLIENT_TITLE,
  counter: 1,
  form: 'general',
  suite: 1,
  compressed: true,
};
const receiver = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', systemTitle: CLIENT_TITLE, lastCounter: -1, suite: 1 } as const;

/** An APDU whose sender sets the compression bit against the rules. */
function forged(content: Uint8Array, securityControl: number): Uint8Array {
  const iv = initializationVector(CLIENT_TITLE, 1);
  const body = protectBody(nodeCipher, { key: KEYS.ek, ak: KEYS.ak, iv, securityControl }, content);
  const head = Uint8Array.of(securityControl, 0, 0, 0, 1);
  return Uint8Array.of(0xdb, 8, ...CLIENT_TITLE, head.length + body.length, ...head, ...body);
}

describe.each(['general', 'service-specific'] as const)('compression, in the form %s', (form) => {
  it('shortens an APDU, is marked by a bit, and is undone after the tag was verified', () => {
    const apdu = protect(PLAIN, { ...sender, form });
    expect(readCipheredApdu(apdu).securityControl).toBe(0xb1);
    expect(apdu.length).toBeLessThan(protect(PLAIN, { ...sender, form, compressed: false }).length);
    expect(toHex(unprotect(readCipheredApdu(apdu), receiver))).toBe(toHex(PLAIN));
  });

  it('is not applied when it makes an APDU longer', () => {
    const apdu = protect(fromHex('C001C1'), { ...sender, form });
    expect(readCipheredApdu(apdu).securityControl).toBe(0x31);
  });
});

describe('compression', () => {
  it.each([
    ['in suite 0', 0xb0, { ...receiver, suite: 0 }, 'suite 0'],
    ['without authentication', 0xa1, { ...receiver, policy: 'enc' }, 'without authentication'],
  ] as const)('is refused %s', (_, securityControl, options, reason) => {
    const apdu = readCipheredApdu(forged(compressV44(PLAIN), securityControl));
    expect(() => unprotect(apdu, options)).toThrow(DecodeError);
    try {
      unprotect(apdu, options);
    } catch (error) {
      expect((error as DecodeError).fault).toEqual({ code: 'BAD_VALUE', reason: expect.stringContaining(reason) }); // as: checked above
    }
    expect(() => protect(PLAIN, { ...sender, suite: options.suite, policy: options.policy })).toThrow(RangeError);
  });

  it('of octets that are no packet is refused, after they were authenticated', () => {
    expect(() => unprotect(readCipheredApdu(forged(PLAIN, 0xb1)), receiver)).toThrow(DecodeError);
  });

  it('works in general ciphering', () => {
    const header = { transactionId: fromHex('0000000000000001'), originatorSystemTitle: CLIENT_TITLE, recipientSystemTitle: METER_TITLE };
    const choice = { kind: 'identified', key: 'unicast' } as const;
    const shared = { cipher: nodeCipher, suite: 1, policy: 'authEnc', keys: KEYS } as const;
    const apdu = protectGeneralCiphering(PLAIN, { ...shared, choice, counter: 1, header, compressed: true });
    const { plain, envelope } = unprotectGeneralCiphering(apdu, {
      ...shared,
      ownTitle: METER_TITLE,
      peerTitle: CLIENT_TITLE,
      lastCounter: () => -1,
    });
    expect(envelope.service.securityControl & COMPRESSED).toBe(COMPRESSED);
    expect(plain).toEqual(PLAIN);
  });
});

describe('a client with compression', () => {
  const rule: ClientRule = { mechanism: 'hlsGmac', ciphered: true };

  it('sends compressed where it helps, and is answered compressed', () => {
    const world = new AssociationWorld({ rule, suite: 1 });
    const client = world.client({ suite: 1, compression: true, maxPduSize: 1024 });
    runExchange(client.open(), world.talk);
    world.frames.length = 0;
    expect(runExchange(client.getList(Array.from({ length: 20 }, () => REGISTER)), world.talk)).toHaveLength(20);
    expect(runExchange(client.get(LONG), world.talk)).toEqual({ ok: true, data: world.longData });
    const controls = world.frames.map(({ direction, apdu }) => `${direction} ${readCipheredApdu(apdu).securityControl.toString(16)}`);
    expect(controls).toContain('down b1');
    expect(controls).toContain('up b1');
  });

  it('in suite 0 cannot send', () => {
    const world = new AssociationWorld({ rule });
    const client = world.client({ compression: true });
    expect(() => {
      runExchange(client.open(), world.talk);
      runExchange(client.get(REGISTER), world.talk);
    }).toThrow('suite 0');
  });

  it('fails with DECRYPT_FAILED on a compressed response in suite 0', () => {
    const world = new AssociationWorld({ rule });
    const client = world.client();
    runExchange(client.open(), world.talk);
    const answer = () => {
      const iv = initializationVector(METER_TITLE, 5000);
      const body = protectBody(nodeCipher, { key: KEYS.ek, ak: KEYS.ak, iv, securityControl: 0xb0 }, compressV44(PLAIN));
      return Uint8Array.of(0xcc, 5 + body.length, 0xb0, 0, 0, 0x13, 0x88, ...body);
    };
    const failure = failureOf(() => runExchange(client.get(REGISTER), answer));
    expect([failure?.code, failure?.message]).toEqual(['DECRYPT_FAILED', expect.stringContaining('compression in suite 0')]);
  });
});
