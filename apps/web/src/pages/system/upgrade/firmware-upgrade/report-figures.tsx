import type { PreflightReport } from '@hes/contract/upgrade/job.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Num, Figures } from '#kit/basics/text.tsx';
import { PanelState, type Loaded } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';

/** Counts of targets: ready, ready with warnings, excluded, and the total. */
export function ReportFigures({ report }: { report: Loaded<PreflightReport> }) {
  const t = useMessages(texts);
  return (
    <PanelState query={report} lines={2}>
      {(data) => (
        <Figures
          items={[
            { label: t('ready'), value: <Num value={data.ready} /> },
            { label: t('warned'), value: <Num value={data.warned} /> },
            { label: t('refused'), value: <Num value={data.refused} /> },
            { label: t('total'), value: <Num value={data.total} />, note: t('behind', { count: data.dcus }) },
          ]}
        />
      )}
    </PanelState>
  );
}
