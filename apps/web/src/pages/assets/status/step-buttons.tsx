import type { Route } from '@hes/contract/core/route.ts';
import type { StatusAction } from '@hes/contract/status/cause.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { texts } from './messages.ts';

/** What a button leads to. */
export interface LinkStep {
  right: Pick<Route, 'allow'>;
  to: string;
  /** Where the usual label of the action says too much. */
  label?: 'act_record';
}

/** Buttons that lead to the pages on which actions are taken, for users who have the right to them. */
export function useLinkButtons(steps: Partial<Record<StatusAction, LinkStep>>) {
  const t = useMessages(texts);
  const may = useMay();
  return (actions: readonly StatusAction[]) =>
    actions.map((action) => {
      const step = steps[action];
      return step === undefined || !may(step.right) ? null : (
        <LinkButton key={action} to={step.to}>
          {t(step.label ?? `act_${action}`)}
        </LinkButton>
      );
    });
}
