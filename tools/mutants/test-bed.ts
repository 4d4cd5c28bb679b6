import setUpDatabase from '../../apps/server/test/global-setup.ts';
import { makeScratchTree, type ScratchTree } from './scratch-tree.ts';

/** A copy of the tree with a database for its tests, started once for all runs. */
export interface TestBed extends ScratchTree {
  /** URL of the template that test files clone. */
  databaseUrl: string;
  /** The same template with the rights of its owner. */
  databaseOwnerUrl: string;
  close(): Promise<void>;
}

export async function makeTestBed(): Promise<TestBed> {
  const tree = makeScratchTree();
  const urls = { databaseUrl: '', databaseOwnerUrl: '' };
  const stopDatabase = await setUpDatabase({ provide: (name, url) => void Object.assign(urls, { [name]: url }) });
  return {
    ...tree,
    ...urls,
    async close() {
      await stopDatabase();
      tree.remove();
    },
  };
}
