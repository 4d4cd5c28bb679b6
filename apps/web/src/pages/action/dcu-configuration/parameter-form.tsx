import type { DcuParameterRow } from '@hes/contract/action/dcu-config.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import {
  DCU_PARAMETERS,
  GROUP_TEXT,
  PARAMETER_GROUPS,
  refusalOf,
  type DcuParameter,
  type ParameterGroup,
} from '@hes/contract/action/dcu-parameter.ts';
import { Button, Input, Select } from 'antd';
import { ScanSearch, TriangleAlert } from 'lucide-react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { PARAMETER } from './signs.ts';
import styles from './dcu-config.module.css';

export type Changes = Readonly<Record<string, string>>;

interface FormProps {
  rows: DcuParameterRow[];
  /** Only this group; undefined: all groups. */
  group: ParameterGroup | undefined;
  changes: Changes;
  mayWrite: boolean;
  onChange: (key: string, value: string) => void;
  onReadGroup: (group: ParameterGroup) => void;
}

function Control({ parameter, value, onChange }: { parameter: DcuParameter; value: string; onChange: (value: string) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const label = say(parameter.text);
  const refusal = value === '' && parameter.type !== 'text' ? undefined : refusalOf(parameter.key, value);
  const flags = { true: t('on'), false: t('off') };
  const choices =
    parameter.type === 'flag'
      ? flags
      : parameter.choices && Object.fromEntries(Object.entries(parameter.choices).map(([key, text]) => [key, say(text)]));
  if (choices)
    return (
      <Select
        aria-label={label}
        className={styles['select'] ?? ''}
        value={value === '' ? null : value}
        options={Object.entries(choices).map(([key, text]) => ({ value: key, label: text }))}
        onChange={(next: string) => onChange(next)}
      />
    );
  return (
    <span className={styles['control']}>
      <Input
        aria-label={label}
        value={value}
        suffix={parameter.unit}
        status={refusal && value !== '' ? 'error' : ''}
        aria-invalid={refusal !== undefined && value !== ''}
        placeholder={parameter.min === undefined ? '' : t('range', { min: parameter.min, max: parameter.max ?? 0 })}
        onChange={(event) => onChange(event.target.value)}
      />
      {refusal && value !== '' ? <small role="alert">{say(refusal)}</small> : null}
    </span>
  );
}

/** A value for display: options and switches by their labels. */
function Shown({ parameter, value }: { parameter: DcuParameter; value: string | null }) {
  const t = useMessages(texts);
  const say = useSay();
  if (value === null) return <span>—</span>;
  if (parameter.type === 'flag') return <span>{t(value === 'true' ? 'on' : 'off')}</span>;
  const choice = parameter.choices?.[value];
  return <span className="mono">{choice ? say(choice) : `${value}${parameter.unit ? ` ${parameter.unit}` : ''}`}</span>;
}

function Row({
  parameter,
  row,
  changes,
  mayWrite,
  onChange,
}: { parameter: DcuParameter; row: DcuParameterRow | undefined } & Pick<FormProps, 'changes' | 'mayWrite' | 'onChange'>) {
  const t = useMessages(texts);
  const say = useSay();
  const { key } = parameter;
  const desired = row?.desired ?? row?.actual ?? '';
  const value = changes[key] ?? desired;
  const reason = row?.reasonCode && row.reasonCode in REASONS ? REASONS[row.reasonCode as keyof typeof REASONS] : undefined; // checked by `in`
  const isChanged = changes[key] !== undefined;
  return (
    <tr data-changed={isChanged} data-differs={row?.state === 'differs' || row?.state === 'failed'}>
      <th scope="row">
        {say(parameter.text)}
        {parameter.risk ? (
          <span className={styles['risk']} title={t(parameter.risk === 'link' ? 'riskLink' : 'riskService')}>
            <TriangleAlert size={13} aria-label={t(parameter.risk === 'link' ? 'riskLink' : 'riskService')} />
          </span>
        ) : null}
      </th>
      <td>
        {parameter.isReadOnly === true || !mayWrite ? (
          <span className={styles['dim']}>
            {parameter.isReadOnly === true ? t('readOnly') : <Shown parameter={parameter} value={row?.desired ?? null} />}
          </span>
        ) : (
          <Control parameter={parameter} value={value} onChange={(next) => onChange(key, next)} />
        )}
      </td>
      <td>
        <Shown parameter={parameter} value={row?.actual ?? null} />
      </td>
      <td>
        <StateOf sign={PARAMETER[row?.state ?? 'unknown']} />
        {reason ? <small className={styles['dim']}>{say(reason)}</small> : null}
      </td>
      <td>{row?.readAt ? dateTime(row.readAt) : '—'}</td>
    </tr>
  );
}

/** One control per parameter of the catalogue, showing the desired and the current value. */
export function ParameterForm({ rows, group: chosen, changes, mayWrite, onChange, onReadGroup }: FormProps) {
  const t = useMessages(texts);
  const say = useSay();
  const known = new Map(rows.map((row) => [row.key, row]));
  return (
    <div className={styles['form']}>
      {PARAMETER_GROUPS.filter((group) => chosen === undefined || group === chosen).map((group) => (
        <section key={group} aria-label={say(GROUP_TEXT[group])}>
          <header>
            <h3>{say(GROUP_TEXT[group])}</h3>
            {mayWrite ? (
              <Button size="small" type="text" icon={<ScanSearch size={13} aria-hidden="true" />} onClick={() => onReadGroup(group)}>
                {t('readGroup')}
              </Button>
            ) : null}
          </header>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('parameter')}</th>
                <th scope="col">{t('desired')}</th>
                <th scope="col">{t('actual')}</th>
                <th scope="col">{t('state')}</th>
                <th scope="col">{t('readAt')}</th>
              </tr>
            </thead>
            <tbody>
              {DCU_PARAMETERS.filter((parameter) => parameter.group === group).map((parameter) => (
                <Row
                  key={parameter.key}
                  parameter={parameter}
                  row={known.get(parameter.key)}
                  changes={changes}
                  mayWrite={mayWrite}
                  onChange={onChange}
                />
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </div>
  );
}
