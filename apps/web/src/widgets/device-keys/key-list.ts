import type { ImportRoutes } from '@hes/contract/transfer/import.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import type { ImportList } from '#widgets/import-drawer/import-drawer.tsx';
import type { ListImport } from '#widgets/list/list-declaration.ts';
import { messages } from './messages.ts';

/** The import of keys, which a list of devices offers in addition to the import of the devices. */
export const keyImport = (routes: ImportRoutes): ListImport => ({ routes, what: messages.keys, hint: messages.fileHint });

/** The import of keys, which a page offers in addition to the import of its devices. */
export function useKeyList(routes: ImportRoutes): ImportList {
  const t = useMessages(messages);
  return { routes, what: t('keys'), hint: t('fileHint') };
}
