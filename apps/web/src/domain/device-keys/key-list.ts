import type { ImportRoutes } from '@hes/contract/transfer/import.ts';
import type { ListImport } from '#kit/list/list-declaration.ts';
import { messages } from './messages.ts';

/** The import of keys, which a list of devices offers in addition to the import of the devices. */
export const keyImport = (routes: ImportRoutes): ListImport => ({ routes, what: messages.keys, hint: messages.fileHint });
