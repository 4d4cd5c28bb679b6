import type { FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import type { PreflightReport } from '@hes/contract/upgrade/job.ts';
import { Button, Checkbox, Input, Select } from 'antd';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { Loaded } from '#kit/basics/states.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import type { Draft } from './draft.ts';
import { texts } from './messages.ts';
import { ReportFigures } from './report-figures.tsx';
import styles from './upgrade.module.css';

interface TargetsStepProps {
  firmware: FirmwareRow;
  draft: Draft;
  /** Undefined: no targets chosen yet. */
  report: Loaded<PreflightReport> | undefined;
  onChange: (part: Partial<Draft>) => void;
}

/** Chooses the devices: all conditions apply together, and the result is shown above them. */
export function TargetsStep({ firmware, draft, report, onChange }: TargetsStepProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const [sns, setSns] = useState(draft.sns);
  const versions = report?.data?.byVersion ?? [];
  // Chosen versions remain as options, although the choice narrows the result.
  const offered = [...new Set([...draft.versions, ...versions.map(({ version }) => version ?? '')])];
  return (
    <>
      {report === undefined ? null : <ReportFigures report={report} />}
      <div className={styles['columns']}>
        <div className={styles['field']}>
          <b id="upgrade-types">{t('byType')}</b>
          <Select
            mode="multiple"
            aria-labelledby="upgrade-types"
            placeholder={t('allOfFirmware')}
            optionFilterProp="label"
            value={draft.typeIds}
            options={firmware.types.map(({ id, name }) => ({ value: id, label: called(name) }))}
            onChange={(typeIds) => onChange({ typeIds })}
          />
          <b id="upgrade-versions">{t('byVersion')}</b>
          <Select
            mode="multiple"
            aria-labelledby="upgrade-versions"
            placeholder={t('allVersions')}
            value={draft.versions}
            options={offered.map((version) => ({ value: version, label: version === '' ? t('notRead') : version }))}
            onChange={(next) => onChange({ versions: next })}
          />
          <b id="upgrade-sns">{t('bySn')}</b>
          <Input.TextArea
            rows={8}
            className="mono"
            aria-labelledby="upgrade-sns"
            placeholder={t('bySnHint')}
            value={sns}
            onChange={(event) => setSns(event.target.value)}
            onBlur={() => onChange({ sns, ...(sns.trim() === '' ? {} : { everywhere: false }) })}
          />
          <span className={styles['muted']}>{firmware.targetKind === 'rt' || firmware.targetKind === 'sta' ? t('viaDcu') : null}</span>
        </div>
        <div className={styles['field']}>
          <b>
            {t('byNode')}
            {draft.everywhere ? null : `: ${draft.node?.title ?? t('noneChosen')}`}{' '}
            {draft.node ? (
              <Button
                type="text"
                size="small"
                aria-label={t('noNode')}
                icon={<X size={13} aria-hidden="true" />}
                onClick={() => onChange({ node: undefined })}
              />
            ) : null}
          </b>
          <Checkbox checked={draft.everywhere} onChange={(event) => onChange({ everywhere: event.target.checked, node: undefined })}>
            {t('everywhere')}
          </Checkbox>
          <div className={styles['tree']}>
            <NodeTree
              until={firmware.targetKind === 'meter' ? 'meter' : 'dcu'}
              selected={draft.node?.key}
              onSelect={(node) => onChange({ node, everywhere: false })}
            />
          </div>
        </div>
      </div>
    </>
  );
}
