import { useEffect } from 'react';
import { common } from '#shared/i18n/common.messages.ts';
import { useSay } from '#shared/i18n/use-messages.ts';

/** The page's own title before the product's, in the language of now. */
export function useDocumentTitle(title: string | undefined): void {
  const say = useSay();
  useEffect(() => {
    document.title = title ? `${title} - ${say(common.appName)}` : say(common.appName);
  }, [title, say]);
}
