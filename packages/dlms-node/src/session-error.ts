/** Communication failed: the peer is unreachable, does not respond, or has disconnected. */
export class SessionError extends Error {
  readonly code: 'NOT_REACHABLE' | 'NO_ANSWER' | 'CLOSED';

  constructor(code: SessionError['code'], message: string) {
    super(message);
    this.name = 'SessionError';
    this.code = code;
  }
}
