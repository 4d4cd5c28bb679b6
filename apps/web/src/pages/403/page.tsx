import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { useNavigate } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { LineDrawing } from '#kit/basics/line-drawings.tsx';
import { NoticePage } from '#kit/page/notice-page.tsx';
import { messages } from './messages.ts';

export default function ForbiddenPage() {
  const t = useMessages(messages);
  const navigate = useNavigate();
  return (
    <NoticePage drawing={<LineDrawing kind="open" />} title={`403 · ${t('forbidden')}`} hint={t('hint')}>
      <Button type="primary" onClick={() => void navigate(to.dashboard())}>
        {t('backHome')}
      </Button>
    </NoticePage>
  );
}
