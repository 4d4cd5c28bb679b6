/** A user error; its message states the cause and the remedy. */
export class UsageError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.name = 'UsageError';
    this.advice = advice;
  }
}
