import { z } from 'zod';
import { areaKey, levelKey } from '../asset/tree.ts';
import { RULES } from '../core/rules.ts';
import type { Text } from '../core/text.ts';

/** Maximum number of nodes of a network area. */
export const MAX_AREA_NODES = 1000;

const none = z.object({ kind: z.literal('none') });
const whole = z.object({ kind: z.literal('whole') });

/** Scope of a user: none, the whole network, or chosen nodes with everything below them. */
export const area = z.discriminatedUnion('kind', [none, whole, z.object({ kind: z.literal('nodes'), nodes: z.array(areaKey).min(1) })]);
export type Area = z.infer<typeof area>;

/** Chosen nodes: an empty list is refused rather than read as the whole network. */
export const areaNodes = z.array(areaKey).min(1, RULES.areaNodes.en).max(MAX_AREA_NODES);
/** Network area of a role. There is no default. */
export const roleAreaChoice = z.discriminatedUnion('kind', [none, whole, z.object({ kind: z.literal('nodes'), nodes: areaNodes })]);
export type RoleAreaChoice = z.infer<typeof roleAreaChoice>;

export const areaNode = z.object({
  key: areaKey,
  /** Name of the node; null: it lies outside the caller's own area. */
  title: z.string().nullable(),
  /** Names of the levels above the node, topmost first. */
  above: z.array(z.object({ key: levelKey, title: z.string() })),
  /** Number of meters at or below the node that the caller may see. */
  meters: z.number().int(),
});
export type AreaNode = z.infer<typeof areaNode>;

/** Network area of a role, with the names of its nodes. */
export const roleArea = z.discriminatedUnion('kind', [
  none,
  whole,
  z.object({ kind: z.literal('nodes'), nodes: z.array(areaNode).min(1) }),
]);
export type RoleArea = z.infer<typeof roleArea>;

export const AREA_TEXT: Record<RoleArea['kind'], Text> = {
  none: { en: 'None', zh: '无' },
  whole: { en: 'Whole network', zh: '全网' },
  nodes: { en: 'Chosen nodes', zh: '所选节点' },
};

/** Network area of a role in a list of roles. */
export const areaSummary = z.object({ kind: z.enum(['none', 'whole', 'nodes']), nodes: z.number().int() });
