import { dcuType, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { ClipboardCheck } from 'lucide-react';
import type { Action } from '#kit/list/action.ts';
import { editAction, removeAction } from '#kit/list/usual-actions.tsx';
import { duplicateAction, fileAction } from '#domain/type-list/type-list.tsx';
import { Conformance } from './conformance.tsx';
import { texts } from './messages.ts';
import { DuplicateForm, TypeForm } from './type-form.tsx';

const checkConformance: Action<DcuTypeRow> = {
  key: 'conformance',
  label: texts.conformance,
  icon: ClipboardCheck,
  right: dcuType.conformance,
  act: { kind: 'dialog', Dialog: Conformance },
};

/** In the order of the menu. */
export const dcuTypeActions = [
  editAction(dcuType.update, TypeForm),
  duplicateAction(dcuType.create, DuplicateForm),
  checkConformance,
  fileAction(dcuType.file),
  removeAction(dcuType.remove),
];
