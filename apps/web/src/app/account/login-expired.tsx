import { useQueryClient } from '@tanstack/react-query';
import { Modal } from 'antd';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { backFrom, loginPath } from '#core/url/addresses.ts';
import { useSession } from '#core/session/session.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import { logOut } from './log-out.ts';

/** Opens once when the session has expired. After the sign-in the user returns to the same address. */
export function LoginExpired() {
  const t = useMessages(common);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { pathname, search } = useLocation();
  const expired = useSession((state) => state.expired);
  // The user signed in again in another tab: refetch queries that failed behind the dialog.
  useEffect(() => (expired ? () => void queries.invalidateQueries() : undefined), [expired, queries]);
  const again = async () => {
    await logOut(queries, false);
    await navigate(loginPath(backFrom(pathname, search)));
  };
  if (!useStickyTrue(expired)) return null;
  return (
    <Modal
      open={expired}
      title={t('loginExpired')}
      width={400}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      okText={t('confirm')}
      onOk={() => void again()}
      footer={(_, { OkBtn }) => <OkBtn />}
    >
      <p>{t('loginAgain')}</p>
    </Modal>
  );
}
