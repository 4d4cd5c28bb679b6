import { Drawer } from 'antd';
import type { ReactNode } from 'react';
import { PanelState, type Loaded } from '#kit/basics/states.tsx';
import styles from './form.module.css';

interface LoadedDrawerProps<T> {
  query: Loaded<T>;
  title: string;
  size?: number;
  onClose: () => void;
  children: (data: T) => ReactNode;
}

/** A form that needs loaded data. Until they arrive, a drawer with its title shows that they load, or why they do not. */
export function LoadedDrawer<T>({ query, title, size = 720, onClose, children }: LoadedDrawerProps<T>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Drawer open size={size} title={title} rootClassName={styles['loading'] ?? ''} onClose={onClose}>
      <PanelState query={query} lines={8}>
        {() => null}
      </PanelState>
    </Drawer>
  );
}
