import { enumerated } from './data.ts';

/** Baud of a serial port. @spec BB 4 (IEC HDLC setup, comm_speed) */
export const baudRate = enumerated({ 300: 0, 600: 1, 1200: 2, 2400: 3, 4800: 4, 9600: 5, 19200: 6, 38400: 7, 57600: 8, 115200: 9 });
