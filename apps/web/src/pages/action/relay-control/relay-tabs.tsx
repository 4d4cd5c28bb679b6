import { approval } from '@hes/contract/action/approval.ts';
import { Badge, Segmented } from 'antd';
import { useSearchParams } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';

const POLL_MS = 5000;

/** The lists of the page, with the number of pending approvals. The filters of a list are not those of another. */
export function RelayTabs({ tab }: { tab: string | undefined }) {
  const t = useMessages(texts);
  const [, setSearch] = useSearchParams();
  const pending = useApiQuery(approval.list, { query: { state: 'pending', size: 1 }, refetchMs: POLL_MS });
  return (
    <Segmented
      aria-label={t('title')}
      value={tab}
      options={[
        { value: 'relays', label: t('relays') },
        {
          value: 'approvals',
          label: (
            <Badge count={pending.data?.total ?? 0} size="small" offset={[10, -2]}>
              {t('approvals')}
            </Badge>
          ),
        },
        { value: 'log', label: t('log') },
      ]}
      onChange={(next) => setSearch({ tab: next })}
    />
  );
}
