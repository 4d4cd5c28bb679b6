import type { PageWords } from '@hes/contract/page/links.ts';
import { dcuLog, type LiveFrame } from '@hes/contract/debug/dcu-log.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { Tabs } from 'antd';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { CaptureBar } from './capture-bar.tsx';
import { frameList } from './list.tsx';
import { LiveConsole } from './live-console.tsx';
import { texts } from './messages.ts';

const POLL_MS = 5000;

/** The filters of the list for live frames. */
function matchesOf({ direction, channel, service, failed, hex, meter }: Partial<QueryOf<typeof dcuLog.list>>) {
  const octets = hex?.replaceAll(/\s/g, '').toUpperCase();
  return (frame: LiveFrame): boolean =>
    (direction === undefined || frame.direction === direction) &&
    (channel === undefined || frame.channel === channel) &&
    (service === undefined || frame.service.toLowerCase().includes(service.toLowerCase())) &&
    (failed === undefined || frame.result !== null) &&
    (meter === undefined || frame.meterSn?.includes(meter.toUpperCase()) === true) &&
    (octets === undefined || frame.hex.includes(octets));
}

type View = NonNullable<PageWords<'dcuLog'>['view']>;

interface LogProps {
  dcuId: string;
  meterId: string | undefined;
  view: View;
  setUrl: (change: { view?: View; trace?: string | undefined; page?: undefined }) => void;
}

/** The frames of a DCU, live or stored. */
export function Log({ dcuId, meterId, view, setUrl }: LogProps) {
  const t = useMessages(texts);
  const captures = useApiQuery(dcuLog.captures, { refetchMs: 30_000 });
  const isOn = captures.data?.items.some((capture) => capture.dcuId === dcuId) ?? false;
  const isStored = view === 'history';
  const declaration = useMemo(
    () => ({
      ...frameList,
      filters: [...frameList.filters, { keys: [], toQuery: () => ({ dcuId }) }],
      emptyHint: isOn ? texts.waitingHint : texts.isOffHint,
      ...(isStored && isOn ? { refetchMs: POLL_MS } : {}),
    }),
    [dcuId, isOn, isStored],
  );
  const list = useList(declaration);
  return (
    <ListView
      list={list}
      above={() => (
        <>
          <CaptureBar dcuId={dcuId} meterId={meterId} list={list} />
          <Tabs
            style={{ padding: '0 16px' }}
            tabBarStyle={{ margin: 0 }}
            activeKey={isStored ? 'history' : 'live'}
            aria-label={t('view')}
            items={(['live', 'history'] as const).map((key) => ({ key, label: t(key) }))}
            onChange={(next) => setUrl({ view: next === 'history' ? next : 'live', page: undefined })}
          />
        </>
      )}
      instead={() =>
        isStored ? undefined : (
          <LiveConsole
            dcuId={dcuId}
            isOn={isOn}
            matches={matchesOf(list.filter)}
            onOpen={(frame) => setUrl({ trace: frame.traceId ?? undefined })}
          />
        )
      }
    />
  );
}
