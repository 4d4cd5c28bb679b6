import { topologySwitch, type TopologySetting } from '@hes/contract/debug/topology-switch.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, InputNumber, Switch } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
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
        {(setting) => <Setting key={setting.updatedAt ?? ''} setting={setting} />}
      </PanelState>
    </Panel>
  );
}

function Setting({ setting }: { setting: TopologySetting }) {
  const t = useMessages(texts);
  const may = useMay()(topologySwitch.saveSetting);
  const client = useQueryClient();
  const { message } = App.useApp();
  const { dcuId, updatedAt } = setting;
  const [capture, setCapture] = useState(setting.capture);
  const [pollMin, setPollMin] = useState(setting.pollMin);
  const [depthDays, setDepthDays] = useState(setting.depthDays);
  const save = useApiMutation(topologySwitch.saveSetting, {
    success: () => {
      void message.success(t('saved'));
      void client.invalidateQueries({ queryKey: [topologySwitch.setting.path] });
    },
    failure: (error) => void message.error(error.message, 0),
  });
  const isChanged = capture !== setting.capture || pollMin !== setting.pollMin || depthDays !== setting.depthDays;
  return (
    <div className={styles['form']}>
      <label>
        <Switch
          checked={capture}
          disabled={!may}
          onChange={setCapture}
          aria-label={t('capture')}
          checkedChildren={t('on')}
          unCheckedChildren={t('off')}
        />
        {t('captureOn')}
      </label>
      <label>
        {t('pollMin')}
        <InputNumber
          min={5}
          max={1440}
          value={pollMin}
          disabled={!may || !capture}
          aria-label={t('pollMin')}
          onChange={(value) => setPollMin(value ?? 60)}
        />
      </label>
      <label>
        {t('depthDays')}
        <InputNumber
          min={1}
          max={31}
          value={depthDays}
          disabled={!may}
          aria-label={t('depthDays')}
          onChange={(value) => setDepthDays(value ?? 7)}
        />
      </label>
      {may ? (
        <Button
          type="primary"
          disabled={!isChanged}
          loading={save.isPending}
          onClick={() => save.mutate({ params: { dcuId }, body: { capture, pollMin, depthDays, updatedAt } })}
        >
          {t('save')}
        </Button>
      ) : null}
    </div>
  );
}
