import type { LearntLine } from '@hes/contract/asset/meter-type.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';

type Found = NonNullable<NonNullable<TaskItemRow['result']>['objects']>[number];
interface Place {
  classId: number;
  obis: string;
  attribute: number;
}
interface Known extends Place {
  key: string;
  nameEn: string;
  nameZh: string;
}

const placeOf = ({ classId, obis, attribute }: Place) => `${classId}/${obis}/${attribute}`;
const objectOf = ({ classId, obis }: { classId: number; obis: string }) => `${classId}/${obis}`;

/**
 * Compares the objects of a meter with its template: objects of the template first, then further objects of the dictionary,
 * then unknown objects. An object counts as present only if its attribute is readable.
 */
export function compareWithTemplate(
  template: ReadonlyMap<string, Place>,
  dictionary: readonly Known[],
  found: readonly Found[],
): LearntLine[] {
  const had = new Set(found.flatMap((object) => object.readable.map((attribute) => placeOf({ ...object, attribute }))));
  const names = new Map(dictionary.map((item) => [item.key, item]));
  const said = new Set([...template.values()].map(placeOf));
  const named = new Set([...template.values()].map(objectOf));
  const lines: LearntLine[] = [...template].map(([key, { classId, obis, attribute }]) => ({
    key,
    nameEn: names.get(key)?.nameEn ?? null,
    nameZh: names.get(key)?.nameZh ?? null,
    object: { classId, obis, attribute },
    difference: had.has(placeOf({ classId, obis, attribute })) ? 'same' : 'removed',
  }));
  const added = dictionary.filter((item) => had.has(placeOf(item)) && !said.has(placeOf(item)));
  for (const { key, nameEn, nameZh, classId, obis, attribute } of added)
    lines.push({ key, nameEn, nameZh, object: { classId, obis, attribute }, difference: 'added' });
  const known = new Set([...named, ...dictionary.map(objectOf)]);
  for (const object of found.filter((candidate) => !known.has(objectOf(candidate))))
    lines.push({
      key: null,
      nameEn: null,
      nameZh: null,
      object: { classId: object.classId, obis: object.obis, attribute: MAIN_ATTRIBUTE },
      difference: 'unknown',
    });
  return lines;
}

/** Template of the objects that the meter has: those of the old template and further ones of the dictionary. */
export const templateOf = (lines: readonly LearntLine[]): Record<string, Place> =>
  Object.fromEntries(
    lines.flatMap(({ key, object, difference }) =>
      key !== null && (difference === 'same' || difference === 'added') ? [[key, object]] : [],
    ),
  );
