import { kindOf, type SenderKindName } from '@hes/contract/delivery/kinds/every-kind.ts';
import type { SenderField } from '@hes/contract/delivery/kinds/kind.ts';
import { Fragment } from 'react';
import type { Text } from '@hes/contract/core/text.ts';
import { choicesOf, type formFields } from '#kit/form/form-fields.tsx';

const CERTIFICATE_ROWS = 4;

interface Tools {
  kind: SenderKindName;
  field: Pick<ReturnType<typeof formFields<Record<string, unknown>>>, 'text' | 'number' | 'choice' | 'toggle'>;
  say: (text: Text) => string;
  isNew: boolean;
  /** Placeholder of a secret that is stored. */
  kept: string;
}

/** The controls of the settings and secrets of a kind, drawn from its declaration. */
export function kindControls({ kind, field, say, isNew, kept }: Tools) {
  const { fields, secrets } = kindOf(kind);
  const draw = (name: string, declared: SenderField) => {
    const isSecret = Object.hasOwn(secrets.shape, name);
    const { control, isRequired = false } = declared;
    const options = {
      required: isRequired && (isNew || !isSecret),
      ...(declared.help === undefined ? {} : { help: say(declared.help) }),
    };
    if (control === 'number') return field.number(name, options);
    if (control === 'toggle') return field.toggle(name, options);
    if (typeof control === 'object') return field.choice(name, choicesOf(control, say), options);
    const placeholder = isSecret && !isNew ? kept : (declared.placeholder ?? '');
    const rows = control === 'lines' ? { rows: CERTIFICATE_ROWS } : {};
    return field.text(name, { ...options, ...rows, placeholder, wide: true, mono: control === 'code' });
  };
  return Object.entries(fields).map(([name, declared]) => <Fragment key={name}>{draw(name, declared)}</Fragment>);
}
