import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { isIssuedBy, issueCertificate, readCertificate } from './certificate.ts';
import { readCertificateRequest, requestCertificate } from './certificate-request.ts';

// Generated with OpenSSL 3.0.19: `openssl req -new -x509` with P-256, a P-384 request, and the certificate issued for it.
const AUTHORITY = fromHex(
  [
    '3082018230820127A003020102020400C0FFEE300A06082A8648CE3D040302301D311B301906035504030C12484553207465737420617574686F7269',
    '74793020170D3236313132313230353931385A180F32303534303430383230353931385A301D311B301906035504030C124845532074657374206175',
    '74686F726974793059301306072A8648CE3D020106082A8648CE3D0301070342000401E818489DA3D7F04F78380B73989224EF8F3BFCD73F63495309',
    '9F560FD3F0252ABA2CA0E31DB4AB830BEBCCB5C88DBFF4D696BDF18C41FE4CBCC5FCB2112361A3533051301D0603551D0E04160414A4251BD1956AE1',
    '5E351904CB5F2E338756E63130301F0603551D23041830168014A4251BD1956AE15E351904CB5F2E338756E63130300F0603551D130101FF04053003',
    '0101FF300A06082A8648CE3D0403020349003046022100EDB663C6B43FA998771F593C54537471E17489402D99FA80A7E81519650C0F21022100C9A1',
    'C48FB6B932E53064C1878FC23921CA44DCA7CDA17B29C626E6114669FC57',
  ].join(''),
);
const CERTIFICATE = fromHex(
  [
    '308201BB30820161A003020102020107300A06082A8648CE3D040302301D311B301906035504030C12484553207465737420617574686F7269747930',
    '20170D3236313132313230353931395A180F32303831303832343230353931395A3028310B30090603550406130243483119301706035504030C1034',
    '4434443444303030304243363134453076301006072A8648CE3D020106052B810400220362000406192653C2C648A8C76253C5ED3915C6642945E70B',
    '21AF714AFAEC96FE2E3C872DF3A3322A1DEE52935C954936E94EB2BAF23591D3CA5D582F4FED451A5AC73D70C2AF26077554B3E2F3A4B4CE64CC0460',
    '67D81B4B15AC266CF9803FE9DEED48A3683066300E0603551D0F0101FF04040302030830140603551D11040D300BA00906022A03A0030C0178301D06',
    '03551D0E0416041440484557D87E492B1143D5CAD1807DCB721974D2301F0603551D23041830168014A4251BD1956AE15E351904CB5F2E338756E631',
    '30300A06082A8648CE3D0403020348003045022100B1D89D3221E04B3B1BAD3FCCD31B216C995DAB3721E6EACC47DB5B26004FCBB802204F988DA13C',
    '2441C85C4B2A48AF5A2ED1693B7D19B7C99080E7854D472CDFF9DC',
  ].join(''),
);
const REQUEST = fromHex(
  [
    '308201213081A70201003028310B30090603550406130243483119301706035504030C10344434443444303030304243363134453076301006072A86',
    '48CE3D020106052B810400220362000406192653C2C648A8C76253C5ED3915C6642945E70B21AF714AFAEC96FE2E3C872DF3A3322A1DEE52935C9549',
    '36E94EB2BAF23591D3CA5D582F4FED451A5AC73D70C2AF26077554B3E2F3A4B4CE64CC046067D81B4B15AC266CF9803FE9DEED48A000300A06082A86',
    '48CE3D0403030369003066023100D8444163683825D7B9C7709A79920519880196BDD944C3C27989567ACD1763F7E4836400DD463D1D5F134C906B6B',
    '213D023100BBE7B2B2AB4B60E8FB371413ED1886CF11ADB1601167ADB8FC87D9C2907128F1AA6B8D89138D746795C375F94F0FB5BA',
  ].join(''),
);

const publicKeyOf = (key: Uint8Array): Uint8Array => nodeCipher.publicKeyOf?.(key) ?? key;
const privateKey = fc.constantFrom(32, 48).chain((size) => fc.uint8Array({ minLength: size, maxLength: size, min: 1, max: 0x7f }));
const use = fc.constantFrom('digitalSignature' as const, 'keyAgreement' as const, 'certificateSign' as const);

describe('certificates of OpenSSL', () => {
  it('are decoded, and their signatures are verified', () => {
    const authority = readCertificate(AUTHORITY);
    expect(authority).toMatchObject({ issuer: 'HES test authority', subject: 'HES test authority', uses: ['certificateSign'] });
    const certificate = readCertificate(CERTIFICATE);
    expect(certificate).toMatchObject({
      issuer: 'HES test authority',
      subject: '4D4D4D0000BC614E',
      uses: ['keyAgreement'],
      serialNumber: Uint8Array.of(7),
      fromMs: Date.UTC(2026, 10, 21, 20, 59, 19),
      toMs: Date.UTC(2081, 7, 24, 20, 59, 19),
    });
    expect(certificate.subjectAltName.length).toBeGreaterThan(0);
    expect(isIssuedBy(nodeCipher, authority, authority.publicKey)).toBe(true);
    expect(isIssuedBy(nodeCipher, certificate, authority.publicKey)).toBe(true);
    expect(isIssuedBy(nodeCipher, certificate, certificate.publicKey)).toBe(false);
  });

  it('and requests are decoded, and verified with the key inside', () => {
    const request = readCertificateRequest(nodeCipher, REQUEST);
    expect(request).toEqual({ subject: '4D4D4D0000BC614E', publicKey: readCertificate(CERTIFICATE).publicKey });
    const changed = REQUEST.slice();
    changed[40] = (changed[40] ?? 0) ^ 1;
    expect(() => readCertificateRequest(nodeCipher, changed)).toThrow('NOT_AUTHENTIC');
  });
});

it('issued certificates are decoded unchanged, here and by OpenSSL', () => {
  fc.assert(
    fc.property(privateKey, privateKey, use, fc.uint8Array({ minLength: 1, maxLength: 20 }), (issuerKey, key, wanted, serial) => {
      const serialNumber = Uint8Array.of(0x7f, ...serial);
      const content = { serialNumber, issuer: 'HES', subject: '4D4D4D0000BC614E', from: '20260101000000Z', to: '20561231235959Z' };
      const octets = issueCertificate(nodeCipher, issuerKey, { ...content, publicKey: publicKeyOf(key), use: wanted });
      const read = readCertificate(octets);
      expect(read).toMatchObject({ serialNumber, issuer: 'HES', subject: content.subject, publicKey: publicKeyOf(key), uses: [wanted] });
      expect(isIssuedBy(nodeCipher, read, publicKeyOf(issuerKey))).toBe(true);
      const theirs = new X509Certificate(octets);
      expect([theirs.ca, theirs.validToDate.getTime()]).toEqual([wanted === 'certificateSign', read.toMs]);
      const request = readCertificateRequest(nodeCipher, requestCertificate(nodeCipher, key, content.subject));
      expect(request).toEqual({ subject: content.subject, publicKey: publicKeyOf(key) });
    }),
    { numRuns: 8 },
  );
});

it('only basicConstraints makes an authority, regardless of key usage', () => {
  const issuer = new Uint8Array(32).fill(1);
  const content = { serialNumber: issuer, issuer: 'HES', subject: 'HES', from: '20260101000000Z', to: '20561231235959Z' };
  const octets = issueCertificate(nodeCipher, issuer, { ...content, publicKey: publicKeyOf(issuer), use: 'certificateSign' });
  const denied = fromHex(toHex(octets).replace('30030101FF', '3003010100'));
  expect([readCertificate(octets).uses, readCertificate(denied).uses]).toEqual([['certificateSign'], []]);
});

it('damaged certificates fail with DecodeError only', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(AUTHORITY, CERTIFICATE),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      (whole, where, by, cut) => {
        const at = where % whole.length;
        const damaged = cut ? whole.slice(0, at) : whole.map((octet, i) => (i === at ? octet ^ by : octet));
        try {
          readCertificate(damaged);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
      },
    ),
    { numRuns: 1000 },
  );
});
