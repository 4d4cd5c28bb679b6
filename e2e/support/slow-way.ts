import { createServer, request } from 'node:http';
import { connect } from 'node:net';

const LEAST_MS = 200;
const MOST_MS = 1500;
/** What a page waits for: answers of the API and the parts of the console that it loads when it needs them. */
const WAITED_FOR = /^\/api\/|^\/hes\/assets\/.*\.js$/;

/**
 * A way to a head-end on which each answer comes late, and never in the order of the questions: what a test takes for granted because
 * it is fast elsewhere fails here. `HES_E2E_SLOW=on` sends all windows along it.
 */
export async function slowWay(port: number): Promise<{ address: string; close: () => void }> {
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
  if (typeof address !== 'object' || !address) throw new Error('a way listens');
  return {
    address: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
