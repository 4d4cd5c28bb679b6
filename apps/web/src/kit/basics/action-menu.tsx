import { Dropdown, type DropdownProps } from 'antd';
import type { ReactNode } from 'react';
import { useMenuFocus } from '#kit/plain/use-menu-focus.tsx';

type Props = Pick<DropdownProps, 'menu' | 'placement'> & { children: ReactNode };

/** A button that opens a menu. The first entry gets the focus once it is visible, so that arrow keys work from there. */
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
