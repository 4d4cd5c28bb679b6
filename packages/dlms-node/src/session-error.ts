/** Why a peer could not be talked to: not reachable, silent, or gone. */
export class SessionError extends Error {
  readonly code: 'NOT_REACHABLE' | 'NO_ANSWER' | 'CLOSED';

  constructor(code: SessionError['code'], message: string) {
    super(message);
    this.name = 'SessionError';
    this.code = code;
  }
}
