import { z } from 'zod';
import type { Order } from '../orders/define-order.ts';

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

/** Schemas of a command's parameters by name; the console generates the form from them. */
export function paramSchemas({ params }: Pick<Order, 'params'>): [name: string, schema: ParamSchema][] {
  const { properties = {} } = z.toJSONSchema(params, { io: 'input' });
  return Object.entries(properties).filter(([name]) => name !== 'retry') as [string, ParamSchema][]; // as: commands declare parameters of plain types only
}

/** Initial values of the form: the defaults of the declaration. */
export const defaultParams = (order: Pick<Order, 'params'>): CommandParams =>
  Object.fromEntries(paramSchemas(order).map(([name, schema]) => [name, schema.default]));
