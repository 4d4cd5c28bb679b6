import { Select } from 'antd';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { texts } from './texts.ts';
import { parentsFor } from './places.ts';
import { useModules } from './use-modules.ts';

const TOP = 'top';
/** Indents a group by its depth in a flat list. */
const STEP = '\u2003';

interface ParentSelectProps {
  id: string;
  /** The module to be moved. */
  moving?: string;
  value: string | null;
  onChange: (parentId: string | null) => void;
  className?: string;
}

/** The groups that can contain a module, and the top level. */
export function ParentSelect({ moving, value, onChange, ...control }: ParentSelectProps) {
  const t = useMessages(texts);
  const say = useSay();
  const modules = useModules();
  return (
    <Select
      {...control}
      showSearch
      optionFilterProp="label"
      value={value ?? TOP}
      options={[
        { value: TOP, label: t('top') },
        ...parentsFor(modules, moving).map(({ module, level }) => ({
          value: module.id,
          label: STEP.repeat(level) + say({ en: module.nameEn, zh: module.nameZh }),
        })),
      ]}
      onChange={(next) => onChange(next === TOP ? null : next)}
    />
  );
}
