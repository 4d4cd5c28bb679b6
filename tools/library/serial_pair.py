"""A pair of pseudo terminals in place of a serial cable: prints the name of its one end, and joins the other to a TCP port.

Usage: serial_pair.py PORT. Ends with its input.
"""

import os
import pty
import select
import socket
import sys
import termios
import tty


def received(connection):
    try:
        return connection.recv(4096)
    except ConnectionError:
        return b""


master, slave = pty.openpty()
tty.setraw(slave)
print(os.ttyname(slave), flush=True)
line = None
while True:
    ready, _, _ = select.select([master, sys.stdin] + ([line] if line else []), [], [])
    if sys.stdin in ready and not os.read(sys.stdin.fileno(), 1):
        break
    if master in ready:
        octets = os.read(master, 4096)
        # The meter is asked for only when the program at the other end speaks.
        line = line or socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        line.sendall(octets)
    if line and line in ready:
        octets = received(line)
        if octets:
            os.write(master, octets)
        else:
            # The meter has ended its connection: the next program finds an empty line.
            line = line.close()
            termios.tcflush(slave, termios.TCIOFLUSH)
