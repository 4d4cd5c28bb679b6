/** The server cannot start, and a person can do something about it: the message is one sentence that says what. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
