import type { RoleArea, RoleAreaChoice } from '@hes/contract/manager/area.ts';
import type { Permission } from '@hes/contract/manager/role.ts';
import type { ChosenNode } from '#domain/network-area/chosen-nodes.ts';

/** The area in the editor. `kind` is undefined until one of the three is chosen: there is no default. */
export interface AreaDraft {
  kind: RoleArea['kind'] | undefined;
  /** Kept while another kind is chosen, so that a misclick loses nothing. */
  nodes: ChosenNode[];
}

/** A role without permissions has no area chosen yet; for any other role `none` was a choice. */
export function draftOf({ area, moduleIds }: Permission): AreaDraft {
  if (area.kind === 'nodes') return { kind: 'nodes', nodes: area.nodes };
  const wasChosen = area.kind === 'whole' || moduleIds.length > 0;
  return { kind: wasChosen ? area.kind : undefined, nodes: [] };
}

/** The request body; undefined while no area, or no node of it, is chosen. */
export function choiceOf({ kind, nodes }: AreaDraft): RoleAreaChoice | undefined {
  if (kind === undefined) return undefined;
  if (kind !== 'nodes') return { kind };
  return nodes.length === 0 ? undefined : { kind, nodes: nodes.map(({ key }) => key) };
}
