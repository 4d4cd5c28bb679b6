import { Button, Checkbox, Popover, Segmented } from 'antd';
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { SavedViews } from './saved-views.tsx';
import { tableTexts } from './table.messages.ts';
import { DENSITIES, type Density } from './density.ts';
import type { TableView } from './table-view.ts';
import styles from './table-tools.module.css';

function Chooser<R>({ view }: { view: TableView<R> }) {
  const t = useMessages(tableTexts);
  const { choices, density } = view;
  const shown = choices.filter((choice) => choice.isShown).map((choice) => choice.key);
  const toggle = (key: string, isShown: boolean) => view.setShown(isShown ? [...shown, key] : shown.filter((each) => each !== key));
  const move = (key: string, step: -1 | 1) => {
    const at = shown.indexOf(key);
    const other = shown[at + step];
    if (other === undefined) return;
    view.setShown(shown.map((each, index) => (index === at ? other : index === at + step ? key : each)));
  };
  return (
    <div className={styles['chooser']} role="group" aria-label={t('columns')}>
      <Segmented<Density>
        block
        size="small"
        aria-label={t('density')}
        value={density}
        options={DENSITIES.map((value) => ({ value, label: t(value) }))}
        onChange={view.setDensity}
      />
      <ul>
        {choices.map(({ key, title, isShown }) => (
          <li key={key}>
            <Checkbox checked={isShown} disabled={isShown && shown.length === 1} onChange={(event) => toggle(key, event.target.checked)}>
              {title}
            </Checkbox>
            {isShown ? (
              <span>
                <Button
                  type="text"
                  size="small"
                  aria-label={t('earlier', { title })}
                  disabled={key === shown[0]}
                  icon={<ArrowUp size={13} aria-hidden="true" />}
                  onClick={() => move(key, -1)}
                />
                <Button
                  type="text"
                  size="small"
                  aria-label={t('later', { title })}
                  disabled={key === shown.at(-1)}
                  icon={<ArrowDown size={13} aria-hidden="true" />}
                  onClick={() => move(key, 1)}
                />
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <Button type="link" size="small" disabled={!view.isArranged} onClick={view.reset}>
        {t('asDelivered')}
      </Button>
    </div>
  );
}

/** Columns, density and saved views of a table, in the filter bar. */
export function TableTools<R>({ view }: { view: TableView<R> }) {
  const t = useMessages(tableTexts);
  return (
    <>
      <SavedViews page={view.page} />
      <Popover trigger="click" placement="bottomRight" content={<Chooser view={view} />}>
        <Button icon={<Columns3 size={14} aria-hidden="true" />} aria-label={t('columns')} title={t('columns')} />
      </Popover>
    </>
  );
}
