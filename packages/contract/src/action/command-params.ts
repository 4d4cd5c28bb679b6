import { z } from 'zod';
import type { Order } from '../orders/define-order.ts';

/** The part of a JSON schema that params of commands use. */
export interface ParamSchema {
  type?: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export type CommandParams = Record<string, unknown>;

/** The schemas of a command's params by their names, from which its form is made. */
export function paramSchemas({ params }: Pick<Order, 'params'>): [name: string, schema: ParamSchema][] {
  const { properties = {} } = z.toJSONSchema(params, { io: 'input' });
  return Object.entries(properties).filter(([name]) => name !== 'retry') as [string, ParamSchema][]; // as: commands declare plain params
}

/** The values that a form begins with: the defaults of the declaration. */
export const defaultParams = (order: Pick<Order, 'params'>): CommandParams =>
  Object.fromEntries(paramSchemas(order).map(([name, schema]) => [name, schema.default]));
