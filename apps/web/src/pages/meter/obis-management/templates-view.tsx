import { pick } from '@hes/contract/core/text.ts';
import { obis as routes, templateChange, type TemplateRow } from '@hes/contract/reading/obis.ts';
import { App, Button, Input, Select } from 'antd';
import { ArrowDown, ArrowUp, Copy, GripVertical, Plus, Trash2, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useEveryRow } from '#core/api/every-row.ts';
import type { RequestFailed } from '#core/api/errors.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { InlineForm } from '#kit/form/form-body.tsx';
import { useRecordForm } from '#kit/form/use-form.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';
import styles from './obis.module.css';

interface TemplatesViewProps {
  selected: string | undefined;
  onSelect: (id: string | undefined) => void;
}

interface Named {
  key: string;
  obis: string;
  name: string;
}

/** The dictionary by key, in the current language. */
function useNames(): ReadonlyMap<string, Named> {
  const locale = usePreferences((state) => state.locale);
  const all = useEveryRow(routes.list, {});
  return new Map(
    (all.data ?? []).map((row) => [row.key, { key: row.key, obis: row.obis, name: pick({ en: row.nameEn, zh: row.nameZh }, locale) }]),
  );
}

/** Templates of meter models: the list on the left, the objects of the selected one in their order on the right. */
export function TemplatesView({ selected, onSelect }: TemplatesViewProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const templates = useApiQuery(routes.templates);
  const chosen = templates.data?.items.find((template) => template.id === selected) ?? templates.data?.items[0];
  return (
    <div className={styles['templates']}>
      <Panel title={t('templates')} className={styles['templateList']}>
        <PanelState query={templates} lines={4}>
          {({ items }) => (
            <ul>
              {items.map((template) => (
                <li key={template.id}>
                  <button type="button" aria-pressed={template.id === chosen?.id} onClick={() => onSelect(template.id)}>
                    <b>{template.name}</b>
                    <span>
                      {t('count', { count: template.keys.length })}
                      {template.isBuiltin ? ` · ${t('builtin')}` : ''}
                    </span>
                    <span>{template.meterTypes.map(called).join(', ')}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </PanelState>
      </Panel>
      {chosen ? (
        <TemplateEditor
          key={chosen.id}
          template={chosen}
          others={templates.data?.items.filter((template) => template.id !== chosen.id) ?? []}
          onSelect={onSelect}
          onChanged={() => templates.refetch()}
        />
      ) : (
        <Panel className={styles['template']} label={t('template')}>
          <Empty kind="choose" text={t('selectTemplate')} />
        </Panel>
      )}
    </div>
  );
}

interface EditorProps {
  template: TemplateRow;
  others: TemplateRow[];
  onSelect: (id: string | undefined) => void;
  onChanged: () => Promise<unknown>;
}

/** The list with the item at `from` moved to `to`. */
function moved<I>(list: readonly I[], from: number, to: number): I[] {
  const rest = list.toSpliced(from, 1);
  const item = list[from];
  return item === undefined ? [...list] : rest.toSpliced(to, 0, item);
}

const startOf = ({ name, keys }: TemplateRow) => ({ name, keys });

function TemplateEditor({ template, others, onSelect, onChanged }: EditorProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const may = useMay();
  const { message } = App.useApp();
  const names = useNames();
  const { form, record, take } = useRecordForm(template, startOf);
  const { name, keys } = form.values;
  form.words.set('keys', (value) => (value as string[]).map((key) => names.get(key)?.name ?? key).join(', ')); // as: the keys of a template
  const formId = useId();
  const [otherId, setOtherId] = useState<string>();
  const [isRemoving, setRemoving] = useState(false);
  const failure = (error: RequestFailed) => void message.error(error.message, 0);
  const done = () => {
    void message.success(t('saved'));
    void onChanged();
  };
  const update = useApiMutation(routes.updateTemplate, {
    success: (saved) => {
      take(saved);
      done();
    },
    failure: form.refuse,
  });
  const copy = useApiMutation(routes.createTemplate, {
    success: (made) => {
      done();
      onSelect(made.id);
    },
    failure,
  });
  const remove = useApiMutation(routes.removeTemplate, {
    success: () => {
      onSelect(undefined);
      void onChanged();
    },
  });
  const isFixed = template.isBuiltin || !may(routes.updateTemplate);
  const other = others.find((one) => one.id === otherId);
  const missing = other?.keys.filter((key) => !keys.includes(key)) ?? [];
  const extra = new Set(other === undefined ? [] : keys.filter((key) => !other.keys.includes(key)));
  const differences = missing.length + extra.size;
  return (
    <Panel
      className={styles['template']}
      title={template.name}
      note={template.isBuiltin ? t('builtinHint') : template.meterTypes.map(called).join(', ')}
      extra={
        <span className={styles['tools']}>
          <Select
            allowClear
            size="small"
            style={{ width: 210 }}
            placeholder={t('compareWith')}
            aria-label={t('compareWith')}
            value={otherId}
            options={others.map((one) => ({ value: one.id, label: one.name }))}
            onChange={setOtherId}
          />
          {may(routes.createTemplate) ? (
            <Button
              size="small"
              icon={<Copy size={13} aria-hidden="true" />}
              loading={copy.isPending}
              onClick={() =>
                copy.mutate({ body: { name: t('copyOf', { name: template.name }).slice(0, 64), keys: template.keys, copyOf: template.id } })
              }
            >
              {t('copyTemplate')}
            </Button>
          ) : null}
          {may(routes.removeTemplate) && !template.isBuiltin ? (
            <Button size="small" danger icon={<Trash2 size={13} aria-hidden="true" />} onClick={() => setRemoving(true)}>
              {t('remove')}
            </Button>
          ) : null}
          {isFixed ? null : (
            <Button
              size="small"
              type="primary"
              htmlType="submit"
              form={formId}
              disabled={!form.isChanged || keys.length === 0}
              loading={update.isPending}
            >
              {t('save')}
            </Button>
          )}
        </span>
      }
    >
      <InlineForm
        id={formId}
        record={`meter-template/${template.id}`}
        title={template.name}
        form={form}
        labels={{ name: t('name'), keys: t('objects') }}
        saving={update.isPending}
        readOnly={isFixed}
        onSave={() => {
          const body = form.check(templateChange, { version: record.version });
          if (body) update.mutate({ params: { id: template.id }, body });
        }}
      >
        {isFixed ? null : (
          <div className={styles['order']}>
            <Input aria-label={t('name')} maxLength={64} value={name} onChange={(event) => form.set({ name: event.target.value })} />
            <Select
              showSearch={{ optionFilterProp: 'label' }}
              aria-label={t('addObject')}
              placeholder={t('addObject')}
              value={null}
              suffixIcon={<Plus size={14} aria-hidden="true" />}
              options={[...names.values()]
                .filter((one) => !keys.includes(one.key))
                .map((one) => ({ value: one.key, label: `${one.name} · ${one.obis}` }))}
              onChange={(key: string | null) => key && form.set({ keys: [...keys, key] })}
            />
          </div>
        )}
        {other ? (
          <p className={styles['hint']} role="status">
            {differences === 0 ? t('same') : t('differences', { count: differences })}
          </p>
        ) : null}
        <ol className={styles['objects']}>
          {keys.map((key, index) => (
            <ObjectLine
              key={key}
              index={index}
              named={names.get(key) ?? { key, obis: '', name: key }}
              mark={extra.has(key) ? t('onlyHere') : undefined}
              last={keys.length - 1}
              isFixed={isFixed}
              onMove={(from, to) => form.set({ keys: moved(keys, from, to) })}
              onRemove={() => form.set({ keys: keys.filter((one) => one !== key) })}
            />
          ))}
          {missing.map((key) => (
            <li key={`missing ${key}`} data-missing>
              <span className={styles['object']}>
                <b>{names.get(key)?.name ?? key}</b>
                <code className="mono">{names.get(key)?.obis}</code>
              </span>
              <em>{t('onlyThere', { name: other?.name ?? '' })}</em>
            </li>
          ))}
        </ol>
      </InlineForm>
      {isRemoving ? (
        <DangerDialog
          title={t('sureToDelete')}
          effect={t('deleteEffect')}
          action={`${t('remove')} ${template.name}`}
          busy={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate({ params: { id: template.id } })}
          onClose={() => setRemoving(false)}
        />
      ) : null}
    </Panel>
  );
}

interface ObjectLineProps {
  index: number;
  last: number;
  named: Named;
  mark: string | undefined;
  isFixed: boolean;
  onMove: (from: number, to: number) => void;
  onRemove: () => void;
}

/** One object, moved by dragging or by arrow keys. */
function ObjectLine({ index, last, named, mark, isFixed, onMove, onRemove }: ObjectLineProps) {
  const t = useMessages(texts);
  const icon = { size: 13, 'aria-hidden': true } as const;
  return (
    <li data-mark={mark ? '' : undefined}>
      <div
        role="presentation"
        draggable={!isFixed}
        onDragStart={(event) => event.dataTransfer.setData('text/plain', String(index))}
        onDragOver={(event) => {
          if (!isFixed) event.preventDefault();
        }}
        onDrop={(event) => {
          event.preventDefault();
          const from = Number(event.dataTransfer.getData('text/plain'));
          if (!isFixed && Number.isInteger(from)) onMove(from, index);
        }}
      >
        {isFixed ? null : <GripVertical size={14} aria-hidden="true" />}
        <span className={styles['object']}>
          <b>{named.name}</b>
          <code className="mono">{named.obis}</code>
          <small className="mono">{named.key}</small>
        </span>
        {mark ? <em>{mark}</em> : null}
        {isFixed ? null : (
          <span className={styles['tools']}>
            <Button
              type="text"
              size="small"
              disabled={index === 0}
              aria-label={t('up', { name: named.name })}
              icon={<ArrowUp {...icon} />}
              onClick={() => onMove(index, index - 1)}
            />
            <Button
              type="text"
              size="small"
              disabled={index === last}
              aria-label={t('down', { name: named.name })}
              icon={<ArrowDown {...icon} />}
              onClick={() => onMove(index, index + 1)}
            />
            <Button type="text" size="small" aria-label={t('takeAway', { name: named.name })} icon={<X {...icon} />} onClick={onRemove} />
          </span>
        )}
      </div>
    </li>
  );
}
