import { z } from 'zod';
import { billingPeriodParams } from '../orders/billing-period.ts';
import type { TaskKind } from '../orders/every-order.ts';

/** Subset of JSON Schema that the parameters of commands use. */
export interface ParamSchema {
  type?: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export type CommandParams = Record<string, unknown>;

/** Params of the commands that have any. A form names the schema that it validates with, because orders reach the console without schemas. */
const COMMAND_PARAMS: Partial<Record<TaskKind, z.ZodRawShape>> = { billing_period_set: billingPeriodParams };

/** Schemas of a command's parameters by name; the console generates the form from them. */
export function paramSchemas(kind: TaskKind): [name: string, schema: ParamSchema][] {
  const { properties = {} } = z.toJSONSchema(z.object(COMMAND_PARAMS[kind] ?? {}), { io: 'input' });
  return Object.entries(properties) as [string, ParamSchema][]; // as: commands declare parameters of plain types only
}

/** Initial values of the form: the defaults of the declaration. */
export const defaultParams = (kind: TaskKind): CommandParams =>
  Object.fromEntries(paramSchemas(kind).map(([name, schema]) => [name, schema.default]));
