import { Button, type MenuProps } from 'antd';
import { EllipsisVertical } from 'lucide-react';
import type { ReactNode, SyntheticEvent } from 'react';
import { ActionMenu } from '#kit/basics/action-menu.tsx';

const stop = (event: SyntheticEvent) => event.stopPropagation();

/** Clicks inside do not select the row. */
export function OwnClicks({ children }: { children: ReactNode }) {
  return (
    <span role="presentation" onClick={stop}>
      {children}
    </span>
  );
}

/** The menu at the end of a row; renders nothing without items. */
export function RowActions({ label, items }: { label: string; items: NonNullable<MenuProps['items']> }) {
  if (items.length === 0) return null;
  return (
    <OwnClicks>
      <ActionMenu placement="bottomRight" menu={{ items }}>
        <Button type="text" size="small" aria-label={label} aria-haspopup="menu" icon={<EllipsisVertical size={15} aria-hidden="true" />} />
      </ActionMenu>
    </OwnClicks>
  );
}
