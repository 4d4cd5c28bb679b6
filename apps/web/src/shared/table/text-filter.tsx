import { Input } from 'antd';
import { Search } from 'lucide-react';
import { useState } from 'react';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  width?: number;
}

/** A filter by text: it counts on Enter, on leaving the field and on clearing. */
export function TextFilter({ label, value, onChange, width = 210 }: TextFilterProps) {
  const [draft, setDraft] = useState(value ?? '');
  const [committed, setCommitted] = useState(value);
  // The address changed by other means: a link, "Clear filters".
  if (committed !== value) {
    setCommitted(value);
    setDraft(value ?? '');
  }
  const commit = () => {
    if (draft.trim() !== (value ?? '')) onChange(draft.trim() || undefined);
  };
  return (
    <Input
      allowClear
      style={{ width }}
      prefix={<Search size={15} aria-hidden="true" />}
      placeholder={label}
      aria-label={label}
      value={draft}
      onChange={(event) => {
        setDraft(event.target.value);
        if (event.target.value === '') onChange(undefined);
      }}
      onPressEnter={commit}
      onBlur={commit}
    />
  );
}
