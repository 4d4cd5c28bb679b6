import type { Node } from '#nodes/node.ts';
import type { Log } from '#platform/log.ts';

/** Warns when a role has no living node any more, and notes when each has one again. Returns a function that ends it. */
export function watchRoles(node: Pick<Node, 'unfilledRoles' | 'onChange'>, log: Log): () => void {
  let told = '';
  const look = () => {
    const roles = node.unfilledRoles;
    if (roles.join() === told) return;
    told = roles.join();
    if (roles.length === 0) log.info('Each role has a node again');
    else log.warn('No living node has these roles: their work waits', { roles });
  };
  look();
  return node.onChange(look);
}
