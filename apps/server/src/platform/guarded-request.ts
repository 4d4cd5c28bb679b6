import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Sends one request, and returns its answer as soon as the head of it has arrived. Rejects if there is none: an answer that switches protocols
 * closes the connection without an error, and the signal of a closed request ends nothing.
 */
export const sendRequest = (url: URL, options: RequestOptions, body: string | Buffer | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    sent.on('error', reject);
    sent.on('close', () => reject(new Error('The connection was closed without an answer')));
    sent.end(body);
  });
