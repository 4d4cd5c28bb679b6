"""Repeats work for the time that each line of standard input gives, and prints units, wall time and processor time of the process."""

import json
import sys
import time

EK = bytes.fromhex("000102030405060708090A0B0C0D0E0F")
AK = bytes.fromhex("D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF")


def expect(found, expected):
    if found != expected:
        raise ValueError("%r instead of %r" % (found, expected))


def repeat(once, seconds):
    begun, cpu, units = time.perf_counter(), time.process_time(), 0
    while True:
        once()
        units += 1
        if time.perf_counter() - begun >= seconds:
            break
    return {"units": units, "seconds": time.perf_counter() - begun, "cpuSeconds": time.process_time() - cpu}


def run(rows):
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        row, seconds = line.split()
        try:
            answer = repeat(rows[row], float(seconds))
        except Exception as error:  # the benchmark names the peer and the row
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)
