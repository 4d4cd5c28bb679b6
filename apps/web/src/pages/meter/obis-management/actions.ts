import { obis, type ObisRow } from '@hes/contract/reading/obis.ts';
import { Radio } from 'lucide-react';
import type { Action } from '#kit/list/action.ts';
import { editAction, removeAction } from '#kit/list/usual-actions.tsx';
import { texts } from './messages.ts';
import { ObisForm } from './obis-form.tsx';
import { TestRead } from './test-read.tsx';

const BUFFER_CLASS = 7;

const test: Action<ObisRow> = {
  key: 'test',
  label: texts.test,
  icon: Radio,
  right: obis.test,
  when: ({ kind, access, classId, attribute }) =>
    kind === 'attribute' && access.includes('r') && !(classId === BUFFER_CLASS && attribute === 2),
  act: { kind: 'dialog', Dialog: TestRead },
};

/** In the order of the menu. */
export const obisActions = [test, editAction(obis.update, ObisForm, texts.saved), removeAction(obis.remove)];
