import { useEffect, useEffectEvent, useState } from 'react';

const EVERY_MS = 5000;

/** A live region for screen readers. It announces changes at a limited rate, however often the text changes. */
export function Spoken({ text }: { text: string }) {
  const [said, setSaid] = useState(text);
  const sayLatest = useEffectEvent(() => setSaid(text));
  useEffect(() => {
    const timer = setInterval(() => sayLatest(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="visually-hidden" aria-live="polite">
      {said}
    </p>
  );
}
