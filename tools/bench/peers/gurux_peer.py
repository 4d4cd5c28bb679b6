"""Gurux for Python. Arguments: port, push in hex, number of its values."""

import socket
import struct
import sys

from gurux_dlms import GXByteBuffer, GXReplyData
from gurux_dlms.enums import Authentication, InterfaceType, Security
from gurux_dlms.objects import GXDLMSProfileGeneric, GXDLMSRegister
from gurux_dlms.secure import GXDLMSSecureClient

from peer_loop import AK, EK, expect, run

PORT, PUSH, VALUES = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])


def flat(messages):
    if not isinstance(messages, list):
        return [messages]
    return [message for part in messages for message in flat(part)]


class Meter:
    def __init__(self, sap, ciphered):
        self.socket = socket.create_connection(("127.0.0.1", PORT))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        mechanism = Authentication.HIGH_GMAC if ciphered else Authentication.NONE
        self.client = GXDLMSSecureClient(True, sap, 1, mechanism, None, InterfaceType.WRAPPER)
        self.client.maxReceivePDUSize = 1024
        if ciphered:
            ciphering = self.client.ciphering
            ciphering.systemTitle = bytes.fromhex("4752580000000002")
            ciphering.blockCipherKey, ciphering.authenticationKey = EK, AK
            ciphering.security = Security.AUTHENTICATION_ENCRYPTION
            ciphering.invocationCounter = 1
        self.client.parseAareResponse(self.exchange(self.client.aarqRequest()).data)
        if ciphered:
            self.client.parseApplicationAssociationResponse(self.exchange(self.client.getApplicationAssociationRequest()).data)

    def frame(self):
        while len(self.received) < 8 or len(self.received) < 8 + struct.unpack(">H", self.received[6:8])[0]:
            self.received += self.socket.recv(65536)
        size = 8 + struct.unpack(">H", self.received[6:8])[0]
        frame, self.received = self.received[:size], self.received[size:]
        return frame

    def exchange(self, messages):
        reply = GXReplyData()
        for message in flat(messages):
            self.socket.sendall(bytes(message))
            self.client.getData(GXByteBuffer(self.frame()), reply)
            while reply.isMoreData():
                self.socket.sendall(bytes(self.client.receiverReady(reply)))
                self.client.getData(GXByteBuffer(self.frame()), reply)
            if reply.error:
                raise RuntimeError("error %d" % reply.error)
        return reply

    def read(self, target, attribute):
        return self.client.updateValue(target, attribute, self.exchange(self.client.read(target, attribute)).value)


plain, ciphered = Meter(2, False), Meter(1, True)
register, profile = GXDLMSRegister("1.0.32.7.0.255"), GXDLMSProfileGeneric("1.0.99.1.0.255")
plain.read(profile, 3)
receiver = GXDLMSSecureClient(True, 2, 1, Authentication.NONE, None, InterfaceType.WRAPPER)
pushed = struct.pack(">HHHH", 1, 1, 2, len(PUSH)) + PUSH


def read_profile():
    profile.buffer = []  # each read adds its rows to those before
    plain.read(profile, 2)
    expect(len(profile.buffer), 960)


def push():
    notify = GXReplyData()
    receiver.getData(GXByteBuffer(pushed), GXReplyData(), notify)
    expect(len(notify.value), VALUES)


run(
    {
        "get": lambda: expect(plain.read(register, 2), 2301),
        "cipheredGet": lambda: expect(ciphered.read(register, 2), 2301),
        "profile": read_profile,
        "scaledProfile": read_profile,
        "push": push,
    }
)
