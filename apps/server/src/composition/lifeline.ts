import { Socket } from 'node:net';

/** Calls `onCut` when whoever holds the other end of the pipe is gone. */
export function watchLifeline(fd: number, onCut: () => void): void {
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.on('error', onCut);
  pipe.on('close', onCut);
  pipe.resume();
  pipe.unref();
}
