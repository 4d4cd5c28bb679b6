import { fromHex, toHex, type AnnotatedNode } from 'dlms';
import { annotateWire } from 'dlms/hdlc';

const frame = fromHex('0001 0001 0010 0009 C4 01 C1 00 06 00 00 13 91');
const { nodes, error } = annotateWire(frame); // wrapper, HDLC and M-Bus frames are told apart

function print({ name, offset, length, value, children }: AnnotatedNode, depth = 0): void {
  console.log(`${'  '.repeat(depth)}${name} ${value ?? ''} [${toHex(frame.subarray(offset, offset + length))}]`);
  for (const child of children) print(child, depth + 1);
}
for (const node of nodes) print(node);
console.log(error?.message ?? 'complete');
