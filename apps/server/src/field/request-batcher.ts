/** Joins requests that are made at about the same time into one statement, as a data loader does. */
export class RequestBatcher<In, Out> {
  readonly #run: (inputs: In[]) => Promise<Out[]>;
  readonly #waitMs: number;
  readonly #maxItems: number;
  #waiting: { input: In; resolve: (value: Out) => void; reject: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `run` answers in the order of its inputs. Several batches may run at a time. */
  constructor(run: (inputs: In[]) => Promise<Out[]>, options: { waitMs: number; maxItems: number }) {
    this.#run = run;
    this.#waitMs = options.waitMs;
    this.#maxItems = options.maxItems;
  }

  load(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      if (this.#waiting.length >= this.#maxItems) void this.#flush();
      else this.#timer ??= setTimeout(() => void this.#flush(), this.#waitMs);
    });
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const requests = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#run(requests.map(({ input }) => input));
      requests.forEach(({ resolve }, index) => resolve(answers[index] as Out)); // as: run answers each of its inputs
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  }
}
