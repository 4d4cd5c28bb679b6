import { Radio } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { AreaNodes } from '#domain/network-area/area-nodes.tsx';
import type { AreaDraft } from './area.ts';
import { texts } from './texts.ts';
import styles from './role.module.css';

interface NetworkAreaProps {
  area: AreaDraft;
  onChange: (area: AreaDraft) => void;
  readOnly: boolean;
  isAdmin: boolean;
  /** The user tried to save without choosing one. */
  isMissing: boolean;
}

/** The network area of a role: none, the whole network, or some nodes with everything below them. */
export function NetworkArea({ area, onChange, readOnly, isAdmin, isMissing }: NetworkAreaProps) {
  const t = useMessages(texts);
  const problem = area.kind === undefined ? t('chooseArea') : t('chooseNodes');
  return (
    <div className={styles['area']}>
      <Radio.Group
        vertical
        aria-label={t('networkArea')}
        disabled={readOnly || isAdmin}
        value={area.kind}
        options={[
          { value: 'none', label: t('noArea') },
          { value: 'whole', label: t('wholeNetwork') },
          { value: 'nodes', label: t('onlyArea') },
        ]}
        onChange={(event) => onChange({ ...area, kind: event.target.value })}
      />
      {isAdmin ? <p className={styles['hint']}>{t('adminKeeps')}</p> : null}
      {isMissing ? (
        <p className={styles['hint']} role="alert" data-missing>
          {problem}
        </p>
      ) : area.kind === undefined ? (
        <p className={styles['hint']}>{t('areaHint')}</p>
      ) : null}
      {area.kind === 'nodes' ? (
        <AreaNodes nodes={area.nodes} readOnly={readOnly} onChange={(nodes) => onChange({ ...area, nodes })} />
      ) : null}
    </div>
  );
}
