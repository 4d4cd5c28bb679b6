import { ProvedFile } from './proved-file.ts';

export type SubjectKind = 'user' | 'role';

/** What carries a seal. */
export interface Subject {
  kind: SubjectKind;
  id: string;
}

const FILE = 'right-seals.json';
const keyOf = ({ kind, id }: Subject): string => `${kind} ${id}`;

/**
 * The newest number of each seal, in a file of the data folder: an old row that is put back with its old seal has a smaller one. Numbers are
 * noted when a committed seal is read, so that a transaction that is rolled back leaves none behind.
 */
export class RightNumbers {
  readonly #file: ProvedFile<'numbers', Record<string, string>>;
  readonly #numbers: Map<string, string>;
  /** There was no file: this data folder has never kept seals, or lost them. */
  readonly isNew: boolean;
  #isUnsaved = false;

  constructor(dataDir: string | undefined, ...keys: [current: Buffer, ...previous: Buffer[]]) {
    this.#file = new ProvedFile({ dataDir, file: FILE, name: 'numbers' }, ...keys);
    const stored = this.#file.read();
    this.isNew = stored === undefined;
    this.#numbers = new Map(Object.entries(stored ?? {}));
  }

  /** `0`: none is known. */
  of(subject: Subject): string {
    return this.#numbers.get(keyOf(subject)) ?? '0';
  }

  note(subject: Subject, number: string): void {
    if (BigInt(number) <= BigInt(this.of(subject))) return;
    this.#numbers.set(keyOf(subject), number);
    this.#isUnsaved = true;
  }

  /** Subjects whose seal was seen at any time, also when the database no longer knows them. */
  subjects(): Subject[] {
    return [...this.#numbers.keys()].map((key) => {
      const [kind = '', id = ''] = key.split(' ');
      return { kind: kind as SubjectKind, id }; // as: written above
    });
  }

  /** The file holds every number that was noted when this returns. */
  save(): void {
    if (!this.#isUnsaved) return;
    this.#file.write(Object.fromEntries(this.#numbers));
    this.#isUnsaved = false;
  }

  /** Creates the file even when there is no number to keep, because its presence shows that the first sealing is done. */
  begin(): void {
    this.#isUnsaved = true;
    this.save();
  }
}
