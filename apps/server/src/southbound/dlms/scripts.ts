import { failed, type Outcome } from '@hes/contract/core/outcome.ts';
import { scriptTable } from '@hes/dlms/cosem/classes/script-table.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { DcuScript, DcuShapes } from '@hes/dlms/profile/dcu-shapes.ts';
import type { ProfilePlace } from '#db/profile-places.ts';
import type { DeviceLink } from '#field/link.ts';

/** Executes a script of a DCU by its name; the numbers are those of the profile. */
export type RunScript = (script: DcuScript) => Promise<Outcome<void>>;

export const scriptsIn =
  (link: DeviceLink, objects: ReadonlyMap<string, Pick<ProfilePlace, 'obis'>>, { scripts }: DcuShapes): RunScript =>
  async (script) => {
    const place = objects.get('SCRIPTS_DCU');
    const id = scripts[script];
    if (place === undefined || id === undefined) return failed('OBJECT_UNDEFINED', `The profile of this DCU has no script ${script}`);
    return link.invoke({ cosemClass: scriptTable, instance: obis(place.obis) }, 'execute', id);
  };
