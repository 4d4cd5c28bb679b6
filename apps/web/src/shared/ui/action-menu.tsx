import { Dropdown, type DropdownProps } from 'antd';
import type { ReactNode } from 'react';
import { useMenuFocus } from './use-menu-focus.tsx';

type Props = Pick<DropdownProps, 'menu' | 'placement'> & { children: ReactNode };

/** A button that opens a menu. The first entry has the focus as soon as it can be seen, so that arrow keys go on from there. */
export function ActionMenu({ children, ...rest }: Props) {
  const { enter, popupRender } = useMenuFocus();
  return (
    <Dropdown
      {...rest}
      trigger={['click']}
      autoFocus
      popupRender={popupRender}
      onOpenChange={(open) => {
        if (open) enter();
      }}
    >
      {children}
    </Dropdown>
  );
}
