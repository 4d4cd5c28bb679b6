import type { AnnotatedNode } from '../codec/annotate.ts';
import { toHex } from '../codec/hex.ts';
import { MBUS_HEADER_SIZE } from './mbus/frame.ts';
import { MBUS_TRANSPORT_SIZE } from './mbus/message.ts';
import type { MbusFrameParts } from './mbus/parts.ts';

const hexOctet = (value: number): string => toHex(Uint8Array.of(value));

/** Explains the fields of one M-Bus frame. */
export function annotateMbusFrame({ from, to, control, address, controlInformation, segment }: MbusFrameParts): AnnotatedNode {
  const begin = from + MBUS_HEADER_SIZE;
  const field = (name: string, at: number, value: string, length = 1): AnnotatedNode => ({ name, offset: at, length, value, children: [] });
  const parts = [
    field('control', begin, hexOctet(control)),
    field('address', begin + 1, address === 0xff ? 'broadcast' : String(address)),
    field('controlInformation', begin + 2, segment === undefined ? hexOctet(controlInformation) : segmentText(segment)),
  ];
  if (segment !== undefined) {
    const data = begin + 3;
    parts.push(
      field('source', data, String(segment.source)),
      field('destination', data + 1, String(segment.destination)),
      field('information', data + MBUS_TRANSPORT_SIZE, toHex(segment.payload), segment.payload.length),
    );
  }
  return { name: 'mbus', offset: from, length: to - from, children: parts };
}

const segmentText = ({ sequence, isFinal }: { sequence: number; isFinal: boolean }): string =>
  isFinal ? `segment ${sequence}, final` : `segment ${sequence}`;
