import { topologySettingChange, topologySwitch, type TopologySetting } from '@hes/contract/debug/topology-switch.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { InlineForm } from '#kit/form/form-body.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useRecordForm } from '#kit/form/use-form.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';
import styles from './switch.module.css';

/** Whether and how often the head-end reads a network automatically. */
export function CapturePanel({ dcuId }: { dcuId: string }) {
  const t = useMessages(texts);
  const query = useApiQuery(topologySwitch.setting, { params: { dcuId } });
  return (
    <Panel title={t('capture')} note={query.data?.lastTakenAt ? dateTime(query.data.lastTakenAt) : undefined}>
      <PanelState query={query} lines={3}>
        {(setting) => <Setting key={dcuId} setting={setting} />}
      </PanelState>
    </Panel>
  );
}

const startOf = ({ capture, pollMin, depthDays }: TopologySetting) => ({ capture, pollMin, depthDays });

function Setting({ setting }: { setting: TopologySetting }) {
  const t = useMessages(texts);
  const may = useMay()(topologySwitch.saveSetting);
  const client = useQueryClient();
  const { message } = App.useApp();
  const { dcuId } = setting;
  const { form, record, take } = useRecordForm(setting, startOf);
  const save = useApiMutation(topologySwitch.saveSetting, {
    success: (saved) => {
      void message.success(t('saved'));
      take(saved);
      void client.invalidateQueries({ queryKey: [topologySwitch.setting.path] });
    },
    failure: form.refuse,
  });
  const labels = { capture: t('captureOn'), pollMin: t('pollMin'), depthDays: t('depthDays') };
  const field = formFields(form, labels);
  return (
    <InlineForm
      record={`topology-setting/${dcuId}`}
      title={t('capture')}
      form={form}
      labels={labels}
      saving={save.isPending}
      readOnly={!may}
      className={styles['form']}
      onSave={() => {
        const body = form.check(topologySettingChange, { updatedAt: record.updatedAt });
        if (body) save.mutate({ params: { dcuId }, body });
      }}
    >
      {field.toggle('capture', { disabled: !may })}
      {field.number('pollMin', { min: 5, max: 1440, precision: 0, empty: 60, disabled: !may || !form.values.capture })}
      {field.number('depthDays', { min: 1, max: 31, precision: 0, empty: 7, disabled: !may })}
      {may ? (
        <Button type="primary" htmlType="submit" disabled={!form.isChanged} loading={save.isPending}>
          {t('save')}
        </Button>
      ) : null}
    </InlineForm>
  );
}
