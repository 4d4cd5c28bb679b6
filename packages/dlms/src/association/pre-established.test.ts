import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { dataCodec } from '../cosem/data.ts';
import { aare } from '../acse/aare.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import { exceptionResponse } from '../xdlms/exception-response.ts';
import { runExchange } from './exchange.ts';
import type { ClientRule } from './server-options.ts';
import { AssociationWorld, CLIENT_TITLE, CLOCK, failureOf, LONG, METER_TITLE, REGISTER } from '../../test/support/association-world.ts';

const SERVICES: readonly Conformance[] = ['get', 'set', 'action', 'selectiveAccess', 'multipleReferences', 'blockTransferGet'];
const context = { conformance: SERVICES, maxPduSize: 1024 };
const PLAIN: ClientRule = { mechanism: 'none', ciphered: false, preEstablished: context };
const CIPHERED: ClientRule = { mechanism: 'none', ciphered: true, clientTitle: CLIENT_TITLE, preEstablished: context };
const options = { mechanism: 'none', preEstablished: { maxPduSize: 1024 } } as const;
const known = { systemTitle: METER_TITLE, counter: -1 };
const NUMBER = { ok: true, data: encode(dataCodec, { type: 'doubleLongUnsigned', value: 5009 }) };

describe.each([
  ['plain', PLAIN, { ...options, ciphered: false }],
  ['ciphered', CIPHERED, { ...options, ciphered: true, peer: known }],
] as const)('a pre-established association, %s', (_, rule, wanted) => {
  it('is used without AARQ, in blocks and in lists, and is not released', () => {
    const world = new AssociationWorld({ rule });
    const sent: number[] = [];
    const talk = (apdu: Uint8Array) => {
      sent.push(apdu[0] ?? 0);
      return world.talk(apdu);
    };
    const client = world.client(wanted);
    runExchange(client.open(), talk);
    expect(sent).toEqual([]);
    expect(runExchange(client.get(REGISTER), talk)).toEqual(NUMBER);
    expect(runExchange(client.getList([REGISTER, CLOCK]), talk)).toEqual([NUMBER, { ok: true, data: expect.any(Uint8Array) }]);
    expect(runExchange(client.get(LONG), talk)).toEqual({ ok: true, data: world.longData });
    expect(runExchange(client.set(REGISTER, NUMBER.data), talk)).toEqual({ ok: true });
    expect(runExchange(client.release(), talk)).toEqual({ isProved: false });
    expect(client.state).toBe('released');
    expect(sent).not.toContain(APDU_TAGS.aarq);
    expect(sent).not.toContain(APDU_TAGS.rlrq);
    // The next use continues in the same association.
    const again = world.client({ ...wanted, ...('peer' in wanted ? { peer: { ...known, counter: world.acceptedByClient } } : {}) });
    runExchange(again.open(), talk);
    expect(runExchange(again.get(REGISTER), talk)).toEqual(NUMBER);
  });

  it('is refused with an AARQ, and a release does not end it', () => {
    const world = new AssociationWorld({ rule });
    const asking = world.client({ ciphered: wanted.ciphered, mechanism: 'none' });
    expect(failureOf(() => runExchange(asking.open(), world.talk))?.code).toBe('REFUSED');
    const answer = world.talk(Uint8Array.of(APDU_TAGS.rlrq, 0));
    expect(decode(exceptionResponse, answer ?? new Uint8Array(0)).stateError).toBe('serviceNotAllowed');
  });
});

describe('a pre-established association', () => {
  it('that is ciphered needs the system title of the server', () => {
    const world = new AssociationWorld({ rule: CIPHERED });
    const client = world.client({ ...options, ciphered: true });
    expect(failureOf(() => runExchange(client.open(), world.talk))?.message).toContain('system title');
  });

  it('takes no authentication', () => {
    const client = new AssociationWorld({ rule: PLAIN }).client({ ...options, mechanism: 'low', ciphered: false });
    expect(() => runExchange(client.open(), () => undefined)).toThrow('authentication');
  });

  it('begins with another invoke id each time, so that a late response is not taken for the next one', () => {
    const world = new AssociationWorld({ rule: PLAIN });
    const ids = new Set<number>();
    for (let use = 0; use < 64; use++) {
      const client = world.client({ ...options, ciphered: false });
      runExchange(client.open(), world.talk);
      runExchange(client.get(REGISTER), (apdu) => {
        ids.add((apdu[2] ?? 0) & 0x0f);
        return world.talk(apdu);
      });
    }
    expect(ids.size).toBeGreaterThan(4);
  });
});

describe('withheld services', () => {
  const withheld = ['multipleReferences', 'blockTransferGet'] as const;

  it('are not proposed', () => {
    const world = new AssociationWorld();
    const client = world.client({ sap: 2, mechanism: 'none', ciphered: false, withheld });
    runExchange(client.open(), world.talk);
    expect(client.negotiated.conformance).not.toContain('multipleReferences');
    expect(client.negotiated.conformance).not.toContain('blockTransferGet');
    expect(client.negotiated.conformance).toContain('get');
    expect(runExchange(client.get(LONG), world.talk)).toEqual({ ok: false, result: 'otherReason' });
  });

  it('are not used even when the server grants them', () => {
    const world = new AssociationWorld();
    // This server answers every proposal like one with all services.
    const generous = new AssociationWorld();
    runExchange(generous.client({ sap: 2, mechanism: 'none', ciphered: false }).open(), (apdu) => generous.talk(apdu));
    const [, all] = generous.frames;
    expect(decode(aare, all?.apdu ?? new Uint8Array(0)).result).toBe('accepted');
    const client = world.client({ sap: 2, mechanism: 'none', ciphered: false, withheld: ['multipleReferences'] });
    const requests: Uint8Array[] = [];
    const talk = (apdu: Uint8Array) => {
      requests.push(apdu.slice());
      const answer = world.talk(apdu);
      return apdu[0] === APDU_TAGS.aarq ? all?.apdu : answer;
    };
    runExchange(client.open(), talk);
    expect(runExchange(client.getList([REGISTER, CLOCK]), talk)).toHaveLength(2);
    expect(requests.slice(1).map(([tag, kind]) => [tag, kind])).toEqual([
      [APDU_TAGS.getRequest, 1],
      [APDU_TAGS.getRequest, 1],
    ]);
  });

  it('of blocks: a list that does not fit one response is read one by one', () => {
    const world = new AssociationWorld();
    const client = world.client({ sap: 2, mechanism: 'none', ciphered: false, withheld: ['blockTransferGet'], maxPduSize: 64 });
    runExchange(client.open(), world.talk);
    const refs = Array.from({ length: 12 }, () => REGISTER);
    expect(runExchange(client.getList(refs), world.talk)).toEqual(refs.map(() => NUMBER));
  });
});
