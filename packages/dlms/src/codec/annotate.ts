import { ByteReader } from './byte-reader.ts';
import type { Codec } from './codec.ts';
import { DecodeError } from './decode-error.ts';
import { toHex } from './hex.ts';

/** A field of a message: offset, length in octets and value. */
export interface AnnotatedNode {
  name: string;
  offset: number;
  length: number;
  value?: string | undefined;
  children: AnnotatedNode[];
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object' || value instanceof Uint8Array;

/** Short text of a value: `doubleLongUnsigned 5009`, `id=1 confirmed=true`, `get, set, action`. */
function shortText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.length > 0 && value.every(isPlain) ? value.join(', ') : `${value.length} items`;
  if (value === null || typeof value !== 'object') return String(value);
  if ('type' in value && typeof value.type === 'string') return 'value' in value ? `${value.type} ${shortText(value.value)}` : value.type;
  const parts = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  return parts.every(([, part]) => isPlain(part)) ? parts.map(([name, part]) => `${name}=${shortText(part)}`).join(' ') : undefined;
}

/**
 * Decodes `octets` and records the position of every field, using the same codecs as `decode`. On broken octets it returns the fields read
 * so far and the error.
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
      // The children already show a structure.
      const hasParts = node.children.length > 0 && value !== null && typeof value === 'object' && !('type' in value);
      node.value = hasParts ? undefined : shortText(value);
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
