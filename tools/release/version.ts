/** A release is named by the version in package.json and, unless the commit has the tag of that version, by its commit. */
export interface ReleaseVersion {
  /** As SemVer: `0.1.0`, or `0.1.0-dev.1764340000.951712be`. */
  semver: string;
  /** As Debian compares versions: a build before the tag is older than the release. */
  debian: string;
  isTagged: boolean;
}

/** `committedS`: epoch seconds of the commit, so that later builds before a tag are newer ones. */
export function versionOf(
  base: string,
  { tags, commit, committedS }: { tags: readonly string[]; commit: string; committedS: number },
): ReleaseVersion {
  if (tags.includes(`v${base}`)) return { semver: base, debian: base, isTagged: true };
  const suffix = `dev.${committedS}.g${commit.slice(0, 8)}`;
  return { semver: `${base}-${suffix}`, debian: `${base}~${suffix}`, isTagged: false };
}
