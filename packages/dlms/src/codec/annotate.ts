import { ByteReader } from './byte-reader.ts';
import type { Codec } from './codec.ts';
import { DecodeError } from './decode-error.ts';
import { toHex } from './hex.ts';

/** A field of a message: where it stands, in octets, and what it says. */
export interface AnnotatedNode {
  name: string;
  offset: number;
  length: number;
  value?: string | undefined;
  children: AnnotatedNode[];
}

/** A field's value in short; structures are told by their children. */
function brief(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return `${value.length} items`;
  return value !== null && typeof value === 'object' ? undefined : String(value);
}

/**
 * Reads `octets` and tells the place of every field on the way: the same declarations that decode a message
 * explain it. Broken bytes give the fields read so far and the error.
 */
export function annotate<T>(codec: Codec<T>, octets: Uint8Array): { nodes: AnnotatedNode[]; value?: T; error?: DecodeError } {
  const input = new ByteReader(octets);
  const root: AnnotatedNode[] = [];
  const open: AnnotatedNode[] = [];
  input.listener = {
    enter(name, offset) {
      const node: AnnotatedNode = { name, offset, length: 0, children: [] };
      (open.at(-1)?.children ?? root).push(node);
      open.push(node);
    },
    leave(offset, value) {
      const node = open.pop();
      if (node === undefined) return;
      node.length = offset - node.offset;
      node.value = brief(value);
    },
  };
  try {
    const value = codec.read(input);
    input.done();
    return { nodes: root, value };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    for (const node of open) node.length = octets.length - node.offset;
    return { nodes: root, error };
  }
}
