"""A client of an independent stack, for our meter to answer.

Usage: gurux_client.py PORT CLIENT none|low|md5|sha1|gmac|sha256 PDU COUNTER [hdlc|udp]
Reads commands from standard input, one JSON list a line, and answers each with one line of JSON.
"""

import datetime
import json
import socket
import struct
import sys

from gurux_dlms import GXByteBuffer, GXDateTime, GXReplyData
from gurux_dlms.GXDLMSAccessItem import GXDLMSAccessItem
from gurux_dlms.enums import AccessServiceCommandType, Authentication, DataType, InterfaceType, ObjectType, Security
from gurux_dlms.objects import (
    GXDLMSClock,
    GXDLMSData,
    GXDLMSDisconnectControl,
    GXDLMSImageTransfer,
    GXDLMSProfileGeneric,
    GXDLMSRegister,
)
from gurux_dlms.secure import GXDLMSSecureClient

MECHANISMS = {
    "none": Authentication.NONE,
    "low": Authentication.LOW,
    "high": Authentication.HIGH,
    "md5": Authentication.HIGH_MD5,
    "sha1": Authentication.HIGH_SHA1,
    "gmac": Authentication.HIGH_GMAC,
    "sha256": Authentication.HIGH_SHA256,
}


class Meter:
    def __init__(self, port, client_sap, mechanism, pdu, counter, line):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if line == "udp" else socket.SOCK_STREAM)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", port))
        self.hdlc = line == "hdlc"
        framing = InterfaceType.HDLC if self.hdlc else InterfaceType.WRAPPER
        self.client = GXDLMSSecureClient(True, client_sap, 1, MECHANISMS[mechanism], "12345678", framing)
        self.client.maxReceivePDUSize = pdu
        self.received = b""
        if mechanism == "gmac":
            ciphering = self.client.ciphering
            ciphering.systemTitle = bytes.fromhex("4D4D4D0000000002")
            ciphering.blockCipherKey = bytes.fromhex("000102030405060708090A0B0C0D0E0F")
            ciphering.authenticationKey = bytes.fromhex("D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF")
            ciphering.security = Security.AUTHENTICATION_ENCRYPTION
            self.client.useProtectedRelease = True
            ciphering.invocationCounter = counter

    def size(self):
        """Octets of the frame that has begun, as far as it says so."""
        if self.hdlc:
            return 2 + (struct.unpack(">H", self.received[1:3])[0] & 0x7FF) if len(self.received) >= 3 else 3
        return 8 + struct.unpack(">H", self.received[6:8])[0] if len(self.received) >= 8 else 8

    def frame(self):
        """One whole frame: TCP cuts where it likes."""
        while len(self.received) < self.size():
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionError("the meter hung up")
            self.received += chunk
        size = self.size()
        frame, self.received = self.received[:size], self.received[size:]
        return frame

    def exchange(self, messages):
        reply = GXReplyData()
        for message in flat(messages):
            self.one(message, reply)
        return reply

    def one(self, message, reply):
        self.socket.sendall(bytes(message))
        reply.clear() if reply.isComplete() and not reply.isMoreData() else None
        self.client.getData(GXByteBuffer(self.frame()), reply)
        while reply.isMoreData():
            self.socket.sendall(bytes(self.client.receiverReady(reply)))
            self.client.getData(GXByteBuffer(self.frame()), reply)
        if reply.error:
            raise RuntimeError("error %d" % reply.error)

    def open(self):
        if self.hdlc:
            self.client.parseUAResponse(self.exchange(self.client.snrmRequest()).data)
        self.client.parseAareResponse(self.exchange(self.client.aarqRequest()).data)
        if self.client.getIsAuthenticationRequired():
            self.client.parseApplicationAssociationResponse(self.exchange(self.client.getApplicationAssociationRequest()).data)

    def read(self, target, attribute):
        return self.client.updateValue(target, attribute, self.exchange(self.client.read(target, attribute)).value)

    def close(self):
        self.exchange(self.client.releaseRequest())
        if self.hdlc:
            self.exchange(self.client.disconnectRequest())
        self.socket.close()


def flat(messages):
    """Messages come alone, in lists, and in lists of lists."""
    if not isinstance(messages, list):
        return [messages]
    return [message for part in messages for message in flat(part)]


def plain(value):
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex().upper()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, GXDateTime):
        return value.value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value if value is None or isinstance(value, (int, float, bool, str)) else str(value)


def moment(text):
    return GXDateTime(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")))


def profile(meter):
    target = GXDLMSProfileGeneric("1.0.99.1.0.255")
    meter.read(target, 3)
    return target


def write(meter, size):
    target = GXDLMSData("0.0.96.1.1.255")
    target.value = bytes(i & 0xFF for i in range(size))
    target.setDataType(2, DataType.OCTET_STRING)
    meter.exchange(meter.client.write(target, 2))
    return meter.read(target, 2)


def set_clock(meter, text):
    target = GXDLMSClock("0.0.1.0.0.255")
    target.time = moment(text)
    meter.exchange(meter.client.write(target, 2))
    return meter.read(target, 2)


def relay(meter, on):
    target = GXDLMSDisconnectControl("0.0.96.3.10.255")
    meter.exchange(target.remoteReconnect(meter.client) if on else target.remoteDisconnect(meter.client))
    meter.read(target, 2)
    return target.outputState


def image(meter, size):
    target = GXDLMSImageTransfer("0.0.44.0.0.255")
    octets = bytes(i & 0xFF for i in range(size))
    meter.read(target, 5)
    meter.read(target, 2)
    meter.exchange(target.imageTransferInitiate(meter.client, "TEST", len(octets)))
    count = [0]
    messages = target.imageBlockTransfer(meter.client, octets, count)
    meter.exchange(messages)
    bitmap = meter.read(target, 3)
    meter.exchange(target.imageVerify(meter.client))
    meter.read(target, 6)
    verified = int(target.imageTransferStatus)
    meter.exchange(target.imageActivate(meter.client))
    meter.read(target, 6)
    return [count[0], str(bitmap), verified, int(target.imageTransferStatus)]


def objects(meter):
    reply = meter.exchange(meter.client.getObjectsRequest())
    meter.client.parseObjects(reply.data, True, False)
    return sorted("%d/%s" % (item.objectType, item.logicalName) for item in meter.client.objects)


def by_list(meter):
    items = [(GXDLMSData("0.0.42.0.0.255"), 2), (GXDLMSRegister("1.0.32.7.0.255"), 2)]
    values = []
    for message in meter.client.readList(items):
        values += meter.exchange(message).value
    return values


def access(meter):
    """Of ACCESS this client can only make requests that read."""
    targets = [GXDLMSRegister("1.0.32.7.0.255"), GXDLMSData("0.0.42.0.0.255"), GXDLMSData("9.9.9.9.9.9")]
    items = [GXDLMSAccessItem(AccessServiceCommandType.GET, target, 2) for target in targets]
    meter.client.parseAccessResponse(items, meter.exchange(meter.client.accessRequest(None, items)).data)
    return [[int(item.error), item.value] for item in items]


COMMANDS = {
    "name": lambda meter: meter.read(GXDLMSData("0.0.42.0.0.255"), 2),
    "register": lambda meter: meter.read(GXDLMSRegister("1.0.32.7.0.255"), 2),
    "list": by_list,
    "access": access,
    "objects": objects,
    "write": write,
    "clock": set_clock,
    "relay": relay,
    "image": image,
    "rows": lambda meter, first, count: meter.exchange(meter.client.readRowsByEntry(profile(meter), first, count)).value,
    "range": lambda meter, start, end: meter.exchange(
        meter.client.readRowsByRange(profile(meter), moment(start), moment(end))
    ).value,
}


def main():
    port, client_sap, mechanism = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    meter = Meter(port, client_sap, mechanism, int(sys.argv[4]), int(sys.argv[5]), "".join(sys.argv[6:]))
    meter.open()
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = {"value": plain(COMMANDS[name](meter, *arguments))}
        except Exception as error:  # told to the test, which knows whether it should have been
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)
    meter.close()


main()
