import { useEffect, useRef, useState } from 'react';

const EVERY_MS = 5000;

/** For who listens instead of looking: what goes on is told at most this often, however quickly it changes. */
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
