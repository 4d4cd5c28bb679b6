import { modelName } from '@hes/contract/text/reference-models.ts';
import { useMemo } from 'react';
import { useSay } from '#core/i18n/use-messages.ts';

/** Names of suppliers and types: those that come with the head-end are translated. */
export function useModelName(): (name: string) => string {
  const say = useSay();
  return useMemo(() => (name: string) => say(modelName(name)), [say]);
}

/** The name of a supplier or type in a table cell. */
export function Model({ name }: { name: string }) {
  const called = useModelName()(name);
  return <span title={called}>{called}</span>;
}
