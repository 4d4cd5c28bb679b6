import { Socket } from 'node:net';

/** Calls `onCut` when the process at the other end of the pipe ends. */
export function watchLifeline(fd: number, onCut: () => void): void {
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.on('error', onCut);
  pipe.on('close', onCut);
  pipe.resume();
  pipe.unref();
}
