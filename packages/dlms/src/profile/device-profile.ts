/** An object of a device and its location. */
export interface ProfileObject {
  classId: number;
  /** Version of the class; defaults to 0. */
  version?: number;
  obis: string;
  attribute: number;
  /** COSEM unit code of the value; required for registers, 255 for a count. */
  unit?: number;
  /** Keys of the columns of a profile, or of the objects that a push setup sends after itself. */
  captures?: readonly string[];
  /** Capacity of a profile in rows, for devices that do not report it. */
  entries?: number;
}

/** The objects of a device model as data. A profile that `extends` another contains only the differences. */
export interface DeviceProfile {
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  body: {
    extends?: string;
    /** Null removes an inherited object. */
    objects: Readonly<Record<string, ProfileObject | null>>;
    /** Known deviations of the model, by name. */
    quirks: Readonly<Record<string, unknown>>;
  };
}

/** A profile with everything it inherits. */
export interface ResolvedProfile {
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  /** Keys of the inherited profiles, root first, own key last. */
  lineage: string[];
  objects: Map<string, ProfileObject>;
  quirks: Record<string, unknown>;
}

/** A profile cannot be resolved: an `extends` in its lineage is unknown or circular. */
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

/** Merges a profile with everything it inherits; later values override. Throws `ProfileError` when it cannot be resolved. */
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
