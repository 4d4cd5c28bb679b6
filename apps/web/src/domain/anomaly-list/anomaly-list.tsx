import type { anomaly } from '@hes/contract/analysis/anomaly.ts';
import type { ListDeclaration } from '#kit/list/list-declaration.ts';
import { ListInPanel } from '#kit/list/list-in-panel.tsx';
import { useList } from '#kit/list/use-list.ts';

/** The list within the panel of a page that has other tabs. */
export const AnomalyList = ({ declaration }: { declaration: ListDeclaration<typeof anomaly.list> }) => (
  <ListInPanel list={useList(declaration)} />
);
