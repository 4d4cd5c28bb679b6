import type { PlanTarget } from '@hes/contract/states/plan.ts';

/** Meters `m` that a plan is aimed at, as a condition; the ids are the parameter `$n`. */
export function targetCondition(kind: PlanTarget, n: number): string {
  const ids = `$${n}::bigint[]`;
  switch (kind) {
    case 'all':
      return `${ids} is not null`;
    case 'level':
      return `exists (select from transformer t join network_level l on l.id = t.level_id where t.id = m.transformer_id and l.path && ${ids})`;
    case 'transformer':
      return `m.transformer_id = any(${ids})`;
    case 'dcu':
      return `m.dcu_id = any(${ids})`;
    case 'meter_type':
      return `m.meter_type_id = any(${ids})`;
    case 'meter':
      return `m.id = any(${ids})`;
  }
}

/** DCUs `d` that a plan for DCUs is aimed at: those that were named, and those that serve something that was. */
export function dcuCondition(kind: PlanTarget, n: number): string {
  const throughMeters = `exists (select from meter m where m.dcu_id = d.id and ${COLLECTABLE} and ${targetCondition(kind, n)})`;
  const ids = `$${n}::bigint[]`;
  switch (kind) {
    case 'all':
      return `${ids} is not null`;
    case 'dcu':
      return `d.id = any(${ids})`;
    case 'level':
      return `(${throughMeters} or exists (select from transformer t join network_level l on l.id = t.level_id where t.id = d.transformer_id and l.path && ${ids}))`;
    case 'transformer':
      return `(${throughMeters} or d.transformer_id = any(${ids}))`;
    default:
      return throughMeters;
  }
}

/** A meter that can be collected: in use, and served by a DCU. */
export const COLLECTABLE = "m.inventory_state <> 'in_warehouse' and m.dcu_id is not null";
