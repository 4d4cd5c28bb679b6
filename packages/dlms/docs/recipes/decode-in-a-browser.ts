import { fromHex, toHex, type AnnotatedNode } from 'dlms';
import { annotateWire } from 'dlms/hdlc';

const frame = fromHex('0001 0001 0010 0009 C4 01 C1 00 06 00 00 13 91');
const { nodes, error } = annotateWire(frame); // recognises wrapper, HDLC and M-Bus frames

function linesOf({ name, offset, length, value, children }: AnnotatedNode, depth = 0): string[] {
  const line = `${'  '.repeat(depth)}${name} ${value ?? ''} [${toHex(frame.subarray(offset, offset + length))}]`;
  return [line, ...children.flatMap((child) => linesOf(child, depth + 1))];
}
console.log([...nodes.flatMap((node) => linesOf(node)), error?.message ?? 'complete'].join('\n'));
