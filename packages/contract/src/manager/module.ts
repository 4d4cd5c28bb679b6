import { z } from 'zod';
import { id } from '../core/page.ts';
import { route } from '../core/route.ts';

export interface ModuleNode {
  id: string;
  path: string;
  name: { 'zh-CN': string; en: string };
  meta: { icon: string };
  sort: number;
  visible: boolean;
  children: ModuleNode[];
}
export const moduleNode: z.ZodType<ModuleNode> = z.lazy(() =>
  z.object({
    id,
    path: z.string(),
    name: z.object({ 'zh-CN': z.string(), en: z.string() }),
    meta: z.object({ icon: z.string() }),
    sort: z.number().int(),
    visible: z.boolean(),
    children: z.array(moduleNode),
  }),
);

export const module = {
  /** The pages of the caller's roles as a tree; a bare array, as the specification's client reads it. */
  tree: route({
    method: 'GET',
    path: '/manager/module/tree',
    summary: "The caller's modules",
    allow: 'signed-in',
    response: z.array(moduleNode),
  }),
};
