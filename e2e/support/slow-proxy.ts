import { createServer, request } from 'node:http';
import { connect } from 'node:net';

const LEAST_MS = 200;
const MOST_MS = 1500;
/** Responses that a page waits for: those of the API and the chunks of the console. */
const WAITED_FOR = /^\/api\/|^\/hes\/assets\/.*\.js$/;

/**
 * A proxy to a head-end that delays responses and reorders them, which reveals assumptions about speed. `HES_E2E_SLOW=on`
 * routes all windows through it.
 */
export async function startSlowProxy(port: number): Promise<{ address: string; close: () => void }> {
  const server = createServer((asked, answer) => {
    const onward = request(
      { port, host: '127.0.0.1', agent: false, method: asked.method, path: asked.url, headers: asked.headers },
      (came) => {
        const delayMs = WAITED_FOR.test(asked.url?.split('?')[0] ?? '') ? LEAST_MS + Math.random() * (MOST_MS - LEAST_MS) : 0;
        setTimeout(() => {
          answer.writeHead(came.statusCode ?? 502, came.headers);
          came.pipe(answer);
        }, delayMs);
      },
    );
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.on('upgrade', (asked, socket, head) => {
    const onward = connect(port, '127.0.0.1', () => {
      const lines = asked.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${asked.rawHeaders[at + 1]}`] : []));
      onward.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => void (socket.destroy(), onward.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the proxy is not listening');
  return {
    address: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
