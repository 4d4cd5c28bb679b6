import type { Progress } from '@hes/contract/asset/connecting.ts';
import type { ConnectStep } from '@hes/contract/states/connecting.ts';
import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { CallStep } from './call-step.tsx';
import { CheckStep } from './check-step.tsx';
import { texts } from './messages.ts';
import { MetersStep } from './meters-step.tsx';
import { OnlineStep } from './online-step.tsx';
import { PlanStep } from './plan-step.tsx';
import { titleOf } from './rail.tsx';
import type { StepProps } from './step-props.ts';
import { RegisterStep } from './register-step.tsx';
import { TestStep, ValueStep } from './order-steps.tsx';
import styles from './connect.module.css';

interface StepPanelProps extends StepProps {
  step: ConnectStep;
  progress: Progress | undefined;
}

function contentOf({ step, progress, ...props }: StepPanelProps): ReactNode {
  if (step === 'call') return <CallStep {...props} />;
  if (step === 'register') return <RegisterStep {...props} progress={progress} />;
  if (progress === undefined) return null;
  const device = { ...props, progress };
  switch (step) {
    case 'online':
      return <OnlineStep {...device} />;
    case 'test':
      return <TestStep {...device} />;
    case 'check':
      return <CheckStep {...device} />;
    case 'meters':
      return <MetersStep {...device} />;
    case 'value':
      return <ValueStep {...device} />;
    case 'plan':
      return <PlanStep {...device} />;
  }
}

/** The shown step. */
export function StepPanel(props: StepPanelProps) {
  const t = useMessages(texts);
  return (
    <Panel title={t(titleOf(props.kind, props.step))} className={styles['panel']}>
      <div className={styles['step']}>{contentOf(props)}</div>
    </Panel>
  );
}
