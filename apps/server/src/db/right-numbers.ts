import { AuthenticatedFile } from './authenticated-file.ts';

export type SubjectKind = 'user' | 'role';

/** The owner of a seal. */
export interface Subject {
  kind: SubjectKind;
  id: string;
}

/** Kinds of objects whose seals contain a number: users and roles, identity providers in their sealed content, and settings by version. */
type Numbered = Subject | { kind: 'provider' | 'setting'; id: string };

const FILE = 'right-seals.json';
const keyOf = ({ kind, id }: Numbered): string => `${kind} ${id}`;

/**
 * Stores the newest number of each seal in a file of the data folder, which detects the replay of an old row with its old seal. Numbers are
 * noted only when a committed seal is read: a rollback leaves none behind.
 */
export class RightNumbers {
  readonly #file: AuthenticatedFile<'numbers', Record<string, string>>;
  readonly #numbers: Map<string, string>;
  /** The file did not exist: this data folder never had seals, or the file is lost. */
  readonly isNew: boolean;
  #isUnsaved = false;

  constructor(dataDir: string | undefined, ...keys: [current: Buffer, ...previous: Buffer[]]) {
    this.#file = new AuthenticatedFile({ dataDir, file: FILE, name: 'numbers' }, ...keys);
    const stored = this.#file.read();
    this.isNew = stored === undefined;
    this.#numbers = new Map(Object.entries(stored ?? {}));
  }

  /** `0` when no number is known. */
  of(subject: Numbered): string {
    return this.#numbers.get(keyOf(subject)) ?? '0';
  }

  note(subject: Numbered, number: string): void {
    if (BigInt(number) <= BigInt(this.of(subject))) return;
    this.#numbers.set(keyOf(subject), number);
    this.#isUnsaved = true;
  }

  /** All users and roles that ever had a seal, including those deleted from the database. */
  subjects(): Subject[] {
    return [...this.#numbers.keys()].flatMap((key) => {
      const [kind = '', id = ''] = key.split(' ');
      return kind === 'user' || kind === 'role' ? [{ kind, id }] : [];
    });
  }

  /** All noted numbers are on disk when this returns. */
  save(): void {
    if (!this.#isUnsaved) return;
    this.#file.write(Object.fromEntries(this.#numbers));
    this.#isUnsaved = false;
  }

  /** Creates the file even without numbers, because its presence marks the first sealing as done. */
  begin(): void {
    this.#isUnsaved = true;
    this.save();
  }
}
