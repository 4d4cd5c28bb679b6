import { modelName } from '@hes/contract/states/reference-models.ts';
import { useMemo } from 'react';
import { useSay } from './use-messages.ts';

/** How suppliers and types are called: those that come with the head-end have a name in each language. */
export function useModelName(): (name: string) => string {
  const say = useSay();
  return useMemo(() => (name: string) => say(modelName(name)), [say]);
}

/** Such a name in a table. */
export function Model({ name }: { name: string }) {
  const called = useModelName()(name);
  return <span title={called}>{called}</span>;
}
