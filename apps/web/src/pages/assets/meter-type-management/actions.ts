import { meterType, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { GraduationCap, Unlink } from 'lucide-react';
import type { Action } from '#kit/list/action.ts';
import { editAction, removeAction } from '#kit/list/usual-actions.tsx';
import { duplicateAction, fileAction } from '#domain/type-list/type-list.tsx';
import { Learn } from './learn.tsx';
import { texts } from './messages.ts';
import { DuplicateForm, TypeForm } from './type-form.tsx';
import { Unsupported } from './unsupported.tsx';

const learn: Action<MeterTypeRow> = {
  key: 'learn',
  label: texts.learn,
  icon: GraduationCap,
  right: meterType.learn,
  act: { kind: 'dialog', Dialog: Learn },
};

const showUnsupported: Action<MeterTypeRow> = {
  key: 'unsupported',
  label: texts.unsupported,
  icon: Unlink,
  right: meterType.unsupported,
  act: { kind: 'dialog', Dialog: Unsupported },
};

/** In the order of the menu. */
export const meterTypeActions = [
  editAction(meterType.update, TypeForm),
  duplicateAction(meterType.create, DuplicateForm),
  learn,
  showUnsupported,
  fileAction(meterType.file),
  removeAction(meterType.remove),
];
