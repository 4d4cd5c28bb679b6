import { useEffect } from 'react';
import { failureText } from '#shared/api/errors.ts';
import { common } from '#shared/i18n/common.messages.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { LineDrawing } from './line-drawings.tsx';
import { NoticePage } from './notice-page.tsx';
import { PlainButton } from './plain-button.tsx';

/** In the place of what could not be drawn, or whose code could not be fetched. */
export function CrashedPage({ error }: { error: unknown }) {
  const t = useMessages(common);
  useEffect(() => console.error(error), [error]);
  return (
    <NoticePage drawing={<LineDrawing kind="gap" />} title={t('crashed')} hint={<p className="mono">{failureText(error)}</p>}>
      <PlainButton look="primary" onClick={() => location.reload()}>
        {t('reloadPage')}
      </PlainButton>
    </NoticePage>
  );
}
