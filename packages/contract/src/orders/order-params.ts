import { z } from 'zod';
import type { ORDERS, TaskKind } from './every-order.ts';
import type { Order } from './define-order.ts';

/** Number and interval of the retries of an item; without it the rule of the queue applies. */
const retryRule = z.object({ count: z.number().int().min(0), intervalMinutes: z.number().positive() });
const common = { retry: retryRule.optional() };

type SchemaOf<P> = P extends z.ZodRawShape ? z.ZodObject<P & typeof common> : never;
type Parsed = { [K in TaskKind]: z.output<SchemaOf<(typeof ORDERS)[K]['params']>> };
type Passed = { [K in TaskKind]: z.input<SchemaOf<(typeof ORDERS)[K]['params']>> };
/** The params of an order as an operation receives them. */
export type ParamsOf<K extends TaskKind> = Parsed[K];
/** The params of an order as a caller of `placeOrder` passes them. */
export type ParamsFor<K extends TaskKind> = Passed[K];

const build = ({ params }: Pick<Order, 'params'>) => z.object({ ...params, ...common });
const SCHEMAS = new WeakMap<Order, ReturnType<typeof build>>();

/** Schema of `task.params` of an order, built once. */
export function paramsSchema(order: Order): z.ZodObject {
  const schema = SCHEMAS.get(order) ?? build(order);
  SCHEMAS.set(order, schema);
  return schema;
}
