import { useEffect, useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { checkServedConsole, entryScript, type ServedConsole } from '#core/session/served-console.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { LineDrawing } from '#kit/basics/line-drawings.tsx';
import { NoticePage } from './notice-page.tsx';
import { PlainButton } from '#kit/plain/plain-button.tsx';

/** Session-storage key: the version of the console that was reloaded automatically. */
const RELOADED_KEY = 'HES_RELOADED';

/** At most one automatic reload per version of the console: a second one would loop. */
function reloadOnce(): boolean {
  if (sessionStorage.getItem(RELOADED_KEY) === entryScript()) return false;
  sessionStorage.setItem(RELOADED_KEY, entryScript());
  location.reload();
  return true;
}

/**
 * Shown instead of a page that could not be rendered or loaded. If the head-end serves another version of the console, the page reloads
 * automatically, unless unsaved input would be lost.
 */
export function CrashedPage({ error, isTyped = () => false }: { error: unknown; isTyped?: () => boolean }) {
  const t = useMessages(common);
  const [served, setServed] = useState<ServedConsole>();
  useEffect(() => console.error(error), [error]);
  useEffect(() => {
    let isShown = true;
    void checkServedConsole().then((answer) => {
      if (isShown && !(answer === 'another' && !isTyped() && reloadOnce())) setServed(answer);
    });
    return () => void (isShown = false);
  }, [isTyped]);
  if (served === undefined) return null;
  const isAnother = served === 'another';
  return (
    <NoticePage
      drawing={<LineDrawing kind="gap" />}
      title={t(isAnother ? 'consoleUpdated' : 'crashed')}
      hint={
        <>
          {isAnother ? <p>{t('consoleUpdatedHint')}</p> : null}
          {served === 'silent' ? <p>{t('headEndSilent')}</p> : null}
          {isAnother ? null : <p className="mono">{failureText(error)}</p>}
        </>
      }
    >
      <PlainButton look="primary" onClick={() => location.reload()}>
        {t('reloadPage')}
      </PlainButton>
    </NoticePage>
  );
}
