import setUpDatabase from '../../apps/server/test/global-setup.ts';
import { makeScratchTree, type ScratchTree } from './scratch-tree.ts';

/** A copy of the tree with a database for its tests, which is started once for all runs. */
export interface TestBed extends ScratchTree {
  /** Of the template that test files clone. */
  databaseUrl: string;
  close(): Promise<void>;
}

export async function makeTestBed(): Promise<TestBed> {
  const tree = makeScratchTree();
  let databaseUrl = '';
  const stopDatabase = await setUpDatabase({ provide: (_name, url) => (databaseUrl = url) });
  return {
    ...tree,
    databaseUrl,
    async close() {
      await stopDatabase();
      tree.remove();
    },
  };
}
