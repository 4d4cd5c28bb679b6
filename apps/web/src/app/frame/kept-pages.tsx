import { Activity, useState, type ReactNode } from 'react';
import { useLocation, useOutlet } from 'react-router';
import { metaOf } from '#core/url/pages.ts';

/** Renders the page of the address. Pages without `ignoreCache` keep their state while hidden. */
export function KeptPages() {
  const { pathname } = useLocation();
  const outlet = useOutlet();
  const [kept, setKept] = useState<ReadonlyMap<string, ReactNode>>(new Map());
  const isKept = !metaOf(pathname).ignoreCache;
  if (isKept && !kept.has(pathname)) setKept(new Map([...kept, [pathname, outlet]]));
  return (
    <>
      {[...kept].map(([path, page]) => (
        <Activity key={path} mode={path === pathname ? 'visible' : 'hidden'}>
          {page}
        </Activity>
      ))}
      {isKept ? null : outlet}
    </>
  );
}
