import { useEffect, useRef, useState } from 'react';

const EVERY_MS = 5000;

/** A live region for screen readers. It announces changes at a limited rate, however often the text changes. */
export function Spoken({ text }: { text: string }) {
  const latest = useRef(text);
  latest.current = text;
  const [said, setSaid] = useState(text);
  useEffect(() => {
    const timer = setInterval(() => setSaid(latest.current), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="visually-hidden" aria-live="polite">
      {said}
    </p>
  );
}
