/** Where a device keeps a thing. */
export interface ProfileObject {
  classId: number;
  /** Of the class; 0 unless said. */
  version?: number;
  obis: string;
  attribute: number;
  /** COSEM unit code of the value; registers must have one, 255 if they count nothing. */
  unit?: number;
  /** Keys of the columns of a profile, or of what a push setup sends behind its own name. */
  captures?: readonly string[];
  /** Rows that a profile holds when it is full, for devices that do not say it themselves. */
  entries?: number;
}

/** What a device model offers: data, never code. A profile that `extends` another one says only what differs. */
export interface DeviceProfile {
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  body: {
    extends?: string;
    /** Null: a model further up has it, this one does not. */
    objects: Readonly<Record<string, ProfileObject | null>>;
    /** Behaviour to be reckoned with, by name. */
    quirks: Readonly<Record<string, unknown>>;
  };
}

/** A profile with all that it inherits. */
export interface ResolvedProfile {
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  /** The profiles it comes from, itself last. */
  lineage: string[];
  objects: Map<string, ProfileObject>;
  quirks: Record<string, unknown>;
}

/** Why a profile does not resolve: its own or an inherited `extends` names nobody, or leads back to itself. */
export class ProfileError extends Error {
  readonly code: 'UNKNOWN_PROFILE' | 'CIRCLE';
  readonly lineage: string[];

  constructor(code: 'UNKNOWN_PROFILE' | 'CIRCLE', lineage: string[]) {
    super(`${code} ${lineage.join(' → ')}`);
    this.name = 'ProfileError';
    this.code = code;
    this.lineage = lineage;
  }
}

/** A profile with everything it inherits: what is said later wins. Throws a `ProfileError` if it does not resolve. */
export function resolveProfile(key: string, profiles: readonly DeviceProfile[]): ResolvedProfile {
  const chain: DeviceProfile[] = [];
  for (let next: string | undefined = key; next !== undefined;) {
    const wanted: string = next;
    const trail = [...chain.map((profile) => profile.key), wanted];
    if (chain.some((profile) => profile.key === wanted)) throw new ProfileError('CIRCLE', trail);
    const found = profiles.find((profile) => profile.key === wanted);
    if (found === undefined) throw new ProfileError('UNKNOWN_PROFILE', trail);
    chain.push(found);
    next = found.body.extends;
  }
  const own = chain[0];
  if (own === undefined) throw new ProfileError('UNKNOWN_PROFILE', [key]);
  const fromRoot = chain.toReversed();
  const objects = new Map<string, ProfileObject>();
  for (const [name, place] of fromRoot.flatMap(({ body }) => Object.entries(body.objects))) {
    if (place === null) objects.delete(name);
    else objects.set(name, place);
  }
  return {
    key,
    name: own.name,
    deviceKind: own.deviceKind,
    lineage: fromRoot.map((profile) => profile.key),
    objects,
    quirks: Object.assign({}, ...fromRoot.map(({ body }) => body.quirks)) as Record<string, unknown>, // as: assign() of records
  };
}
