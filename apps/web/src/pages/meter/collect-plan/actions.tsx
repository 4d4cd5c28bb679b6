import { plan, type PlanRow } from '@hes/contract/reading/plan.ts';
import { to } from '@hes/contract/page/links.ts';
import { Copy, Play, Power } from 'lucide-react';
import { useSay } from '#core/i18n/use-messages.ts';
import { defineAction, type Action } from '#kit/list/action.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { editAction, removeAction } from '#kit/list/usual-actions.tsx';
import { texts } from './messages.ts';
import { draftOf, NAME_MAX } from './plan-draft.ts';
import { PlanForm } from './plan-form.tsx';

const run = defineAction<PlanRow, typeof plan.run>({
  key: 'run',
  label: texts.runNow,
  icon: Play,
  route: plan.run,
  order: ({ id }) => ({ params: { id } }),
  done: texts.started,
  started: { label: texts.openRun, to: ({ taskId }) => to.onDemandReading({ task: taskId }) },
});

const enable = defineAction<PlanRow, typeof plan.enable>({
  key: 'enable',
  label: ({ enabled }) => (enabled ? texts.disable : texts.enable),
  icon: Power,
  route: plan.enable,
  order: ({ id, enabled }) => ({ params: { id }, body: { enabled: !enabled } }),
  done: texts.saved,
});

function CopyForm({ row, ...props }: FormProps<PlanRow>) {
  const say = useSay();
  if (row === undefined) return null;
  const name = say(texts.copyOf, { name: row.name }).slice(0, NAME_MAX);
  return <PlanForm {...props} row={undefined} start={{ ...draftOf(row), name }} />;
}

const duplicate: Action<PlanRow> = {
  key: 'duplicate',
  label: texts.duplicate,
  icon: Copy,
  right: plan.create,
  act: { kind: 'form', Form: CopyForm, done: texts.saved },
};

/** In the order of the menu. */
export const planActions = [run, editAction(plan.update, PlanForm, texts.saved), enable, duplicate, removeAction(plan.remove)];
