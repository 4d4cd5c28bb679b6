import { DECLARED_SETTINGS, EVERY_SETTING, type SettingName } from './declared-settings.ts';
import { StartError } from './start-error.ts';

/** Settings as text, by name. */
export type Environment = Record<string, string | undefined>;

type Declared = typeof DECLARED_SETTINGS;
/** Settings that have a constant value unless they are set. */
export type InitialName = { [N in SettingName]: Declared[N] extends { initial: string } ? N : never }[SettingName];

/** Whether the setting has a value of its own; an empty one counts as absent. */
export const isSet = (env: Environment, name: string): boolean => (env[name]?.trim() ?? '') !== '';

/** The value of a setting without surrounding blanks, or its declared initial value. */
export function textOf(env: Environment, name: InitialName): string;
export function textOf(env: Environment, name: SettingName): string | undefined;
export function textOf(env: Environment, name: SettingName): string | undefined {
  const { initial } = DECLARED_SETTINGS[name] as { initial?: string }; // as: only some settings have an initial value
  return env[name]?.trim() || initial;
}

/** Refuses settings that have no effect without another one, and pairs that contradict each other. Throws `StartError`. */
export function refuseContradictions(env: Environment): void {
  for (const [name, { needs }] of EVERY_SETTING) {
    if (needs === undefined || !isSet(env, name) || isSet(env, needs)) continue;
    throw new StartError(`${name} is set, but has no effect without ${needs}. Set ${needs} too, or remove ${name}.`);
  }
  const port = textOf(env, 'HES_PORT');
  if (port !== '0' && port === textOf(env, 'HES_DLMS_PORT') && !isSet(env, 'HES_DLMS_HOST'))
    throw new StartError(
      `HES_PORT and HES_DLMS_PORT are both ${port}. The console and the devices need different ports: change one of them.`,
    );
  const key = textOf(env, 'HES_MASTER_KEY');
  if (key !== undefined && key.toLowerCase() === textOf(env, 'HES_MASTER_KEY_PREVIOUS')?.toLowerCase())
    throw new StartError('HES_MASTER_KEY and HES_MASTER_KEY_PREVIOUS are equal. A rotation needs a new key: change HES_MASTER_KEY.');
}
