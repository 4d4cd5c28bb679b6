import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './plain-button.module.css';

interface PlainButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'type'> {
  look?: 'outlined' | 'primary' | 'text' | 'link';
  size?: 'small' | 'middle';
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that needs no component library, for parts that render before it is loaded. */
export function PlainButton({ look = 'outlined', size = 'middle', icon, children, ...rest }: PlainButtonProps) {
  return (
    <button
      type="button"
      className={styles['button']}
      data-look={look}
      data-size={size}
      data-bare={children === undefined || undefined}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}
