/** Browsers by a pattern of their User-Agent. Order matters: later browsers in the list also occur in the User-Agent of earlier ones. */
const BROWSERS = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+).* Safari\//],
] as const;
const SYSTEMS = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const;

/** `Chrome 141, Windows` from a User-Agent; other clients by the first word of theirs. Undefined: unknown. */
export function browserOf(agent: string | null): string | undefined {
  if (agent === null || agent === '') return undefined;
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(agent)?.[1];
    if (version === undefined) continue;
    const system = SYSTEMS.find(([, sign]) => sign.test(agent))?.[0];
    return system === undefined ? `${name} ${version}` : `${name} ${version}, ${system}`;
  }
  return agent.split(/[ (]/)[0] || undefined;
}
