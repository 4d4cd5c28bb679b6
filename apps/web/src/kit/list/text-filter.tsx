import { Input } from 'antd';
import { Search } from 'lucide-react';
import { useState } from 'react';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  width?: number;
  /** Other texts are marked as wrong and do not filter. */
  accepts?: RegExp;
}

/** A text filter. It applies on Enter, on blur and on clear. */
export function TextFilter({ label, value, onChange, width = 210, accepts = /.*/ }: TextFilterProps) {
  const [draft, setDraft] = useState(value ?? '');
  const [committed, setCommitted] = useState(value);
  // The value in the address changed elsewhere, such as by a link or by "Clear filters".
  if (committed !== value) {
    setCommitted(value);
    setDraft(value ?? '');
  }
  const isWrong = draft.trim() !== '' && !accepts.test(draft.trim());
  const commit = () => {
    if (!isWrong && draft.trim() !== (value ?? '')) onChange(draft.trim() || undefined);
  };
  return (
    <Input
      allowClear
      style={{ width }}
      prefix={<Search size={15} aria-hidden="true" />}
      placeholder={label}
      aria-label={label}
      aria-invalid={isWrong}
      status={isWrong ? 'error' : ''}
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
