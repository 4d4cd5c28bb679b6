/** Something could not be written or read although nothing was wrong with it: the same work may succeed later. */
export class StorageUnavailable extends Error {}

/** SQLSTATE of lost connections, missing resources and shutdowns, and codes of the operating system for sockets and files. */
const CODE = /^(?:08|53|57P|58)|^E(?:CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOENT|MFILE|NFILE|NOSPC)$/;
/** Errors of node-postgres without a code. */
const MESSAGE = /^Connection terminated|^timeout exceeded when trying to connect|not queryable$/;

/** Whether an error says that the database or the disk was not available, as opposed to a wrong statement. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true;
  if (!(error instanceof Error)) return false;
  return MESSAGE.test(error.message) || ('code' in error && typeof error.code === 'string' && CODE.test(error.code));
}
