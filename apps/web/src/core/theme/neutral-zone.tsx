import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useScale } from './scale.ts';
import styles from './neutral-zone.module.css';

interface Size {
  width: number;
  height: number;
}

/** Net scale 1 inside: canvases get device pixels, and libraries that measure the window see native coordinates. */
export function NeutralZone({ children }: { children: (size: Size, k: number) => ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const { k, engine } = useScale();
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = () => setSize({ width: element.offsetWidth, height: element.offsetHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const native = { width: Math.round(size.width * k), height: Math.round(size.height * k) };
  const neutral = engine === 'zoom' ? { zoom: 1 / k } : { transform: `scale(${1 / k})`, transformOrigin: '0 0' };
  return (
    <div ref={box} className={styles.box}>
      <div className={styles.zone} style={{ ...native, ...neutral }}>
        {native.width > 0 && native.height > 0 ? children(native, k) : null}
      </div>
    </div>
  );
}
