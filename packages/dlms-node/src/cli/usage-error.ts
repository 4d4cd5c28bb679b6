/** Something the user can put right: what is wrong, and what to do. */
export class UsageError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.name = 'UsageError';
    this.advice = advice;
  }
}
