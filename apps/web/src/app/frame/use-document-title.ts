import { useEffect } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useSay } from '#core/i18n/use-messages.ts';

/** Sets the document title: title of the page, then of the product, in the current language. */
export function useDocumentTitle(title: string | undefined): void {
  const say = useSay();
  useEffect(() => {
    document.title = title ? `${title} - ${say(common.appName)}` : say(common.appName);
  }, [title, say]);
}
