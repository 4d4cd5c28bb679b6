/** A receiver of webhooks that confirms each batch when it has arrived, and reads nothing of it. */
import { createServer } from 'node:http';

const [, , port = '0'] = process.argv;

createServer((request, response) => {
  request.on('end', () => response.writeHead(204).end());
  request.resume();
}).listen(Number(port), '127.0.0.1');
