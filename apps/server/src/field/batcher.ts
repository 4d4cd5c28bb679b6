/** Collects what many ask for at about the same time, and does it in one go. */
export class Batcher<In, Out> {
  readonly #run: (inputs: In[]) => Promise<Out[]>;
  readonly #waitMs: number;
  readonly #maxItems: number;
  #waiting: { input: In; resolve: (value: Out) => void; reject: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `run` answers in the order of its inputs. */
  constructor(run: (inputs: In[]) => Promise<Out[]>, options: { waitMs: number; maxItems: number }) {
    this.#run = run;
    this.#waitMs = options.waitMs;
    this.#maxItems = options.maxItems;
  }

  ask(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      if (this.#waiting.length >= this.#maxItems) void this.#flush();
      else this.#timer ??= setTimeout(() => void this.#flush(), this.#waitMs);
    });
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const asked = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#run(asked.map(({ input }) => input));
      asked.forEach(({ resolve }, index) => resolve(answers[index] as Out)); // as: run answers each of its inputs
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
