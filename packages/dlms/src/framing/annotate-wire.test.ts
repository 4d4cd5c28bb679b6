import { describe, expect, it } from 'vitest';
import type { AnnotatedNode } from '../codec/annotate.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { annotateWire, payloadOnWire } from './annotate-wire.ts';
import { encodeGateway } from './gateway.ts';
import { clientAddress, serverAddress } from './hdlc/address.ts';
import { encodeHdlcFrame } from './hdlc/frame.ts';
import { addLlc } from './hdlc/llc.ts';
import { encodeParameters } from './hdlc/parameters.ts';
import { encodeWrapper } from './wrapper.ts';

const GET = fromHex('C001C1 0003 0100010800FF 02 00');
const ENDS = { destination: serverAddress(1, 17, 4), source: clientAddress(1) };
const frame = (sendSequence: number, information: Uint8Array, segmented: boolean) =>
  encodeHdlcFrame({ ...ENDS, control: { kind: 'i', sendSequence, receiveSequence: 0, pollFinal: true }, segmented, information });
const join = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

/** HDLC frames of a message, with `size` octets in each. */
function segments(apdu: Uint8Array, size: number): Uint8Array[] {
  const message = addLlc('command', apdu);
  const count = Math.ceil(message.length / size);
  return Array.from({ length: count }, (_, at) => frame(at % 8, message.subarray(at * size, (at + 1) * size), at < count - 1));
}
const find = (nodes: readonly AnnotatedNode[], name: string): AnnotatedNode | undefined =>
  nodes.map((node) => (node.name === name ? node : find(node.children, name))).find(Boolean);

describe('octets of the wire', () => {
  const payload = encodeGateway({ networkId: 0, address: new TextEncoder().encode('M1'), response: false }, GET);

  it.each([
    ['a wrapper frame', encodeWrapper({ source: 1, destination: 1 }, payload)],
    ['one HDLC frame', join(segments(payload, 128))],
    ['segments', join(segments(payload, 5))],
    ['segments with a retransmitted one', join(segments(payload, 5).flatMap((part, at) => (at === 1 ? [part, part] : [part])))],
  ])('%s are explained with gateway and APDU, at the place of their octets', (_, octets) => {
    const { nodes, error } = annotateWire(octets);
    expect(error).toBeUndefined();
    expect(toHex(payloadOnWire(octets))).toBe(toHex(payload));
    expect(find(nodes, 'address')?.value).toBe('M1');
    const attribute = find(nodes, 'attributeId');
    expect(attribute).toMatchObject({ value: '2', length: 1 });
    expect(octets[attribute?.offset ?? 0]).toBe(2);
    const instance = find(nodes, 'instance');
    expect(instance?.value).toBe('1.0.1.8.0.255');
    expect(octets[instance?.offset ?? 0]).toBe(1);
    expect(octets[(instance?.offset ?? 0) + (instance?.length ?? 0) - 1]).toBe(0xff);
  });

  it('frames that open a link are explained with their parameters', () => {
    const parameters = { maxInformationTransmit: 1024, maxInformationReceive: 128, windowTransmit: 1, windowReceive: 1 };
    const snrm = encodeHdlcFrame({
      ...ENDS,
      control: { kind: 'snrm', pollFinal: true },
      segmented: false,
      information: encodeParameters(parameters),
    });
    const { nodes } = annotateWire(snrm);
    expect(nodes[0]?.children.map(({ name, value }) => [name, value])).toEqual([
      ['destination', '1/17'],
      ['source', '1'],
      ['control', 'snrm P/F'],
      ['parameters', 'maxInformationTransmit=1024 maxInformationReceive=128 windowTransmit=1 windowReceive=1'],
    ]);
    expect(payloadOnWire(snrm)).toHaveLength(0);
  });

  it('broken HDLC octets have an error and no payload', () => {
    const whole = join(segments(payload, 5));
    for (let length = 1; length < whole.length; length++) {
      const { nodes, error } = annotateWire(whole.subarray(0, length));
      expect(nodes.length > 0 || error !== undefined).toBe(true);
    }
    for (let at = 0; at < whole.length; at++) annotateWire(Uint8Array.from(whole, (octet, index) => (index === at ? octet ^ 0xff : octet)));
    expect(annotateWire(fromHex('7E')).error?.message).toContain('hdlc');
    expect(payloadOnWire(fromHex('7EA0'))).toHaveLength(0);
  });
});
