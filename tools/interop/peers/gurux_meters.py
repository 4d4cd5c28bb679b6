"""Meters of Gurux for Python for the matrix of interoperability.

Usage: gurux_meters.py, with one line of JSON on standard input: the meters as tools/interop/peer-meters.ts describes them.
Prints one line of JSON with the port of each, and ends with its input. The released server of the library can be read without HLS only:
its handlers of SET, ACTION and selections fail in its own code, and its challenge is malformed.
"""

import json
import socketserver
import sys
import threading

from gurux_dlms.enums import (
    AccessMode,
    Authentication,
    Conformance,
    DataType,
    InterfaceType,
    MethodAccessMode,
    ObjectType,
    SourceDiagnostic,
    Unit,
)
from gurux_dlms.objects import GXDLMSAssociationLogicalName, GXDLMSData, GXDLMSRegister
from gurux_dlms.secure import GXDLMSSecureServer

PUBLIC_CLIENT, CLIENT = 16, 1
MECHANISMS = {"none": Authentication.NONE, "low": Authentication.LOW}


class Answer:
    """Request and response of the server; the class of the library lacks the methods that the server calls."""

    connectionInfo = None

    def __init__(self, octets):
        self.data, self.reply, self.count = octets, None, 0

    def isStreaming(self):
        return False

    def getConnectionInfo(self):
        return None

    def setReply(self, octets):
        self.reply = octets


class Meter(GXDLMSSecureServer):
    def __init__(self, given):
        super().__init__(True, InterfaceType.HDLC if given["framing"] == "hdlc" else InterfaceType.WRAPPER)
        self.password = given["password"].encode()
        self.mechanism = MECHANISMS[given["mechanism"]]
        # The property of the library for it calls itself without end.
        self.settings.maxServerPDUSize = 512
        self.conformance = Conformance.GET | Conformance.BLOCK_TRANSFER_WITH_GET_OR_READ | Conformance.MULTIPLE_REFERENCES
        self.association = GXDLMSAssociationLogicalName("0.0.40.0.0.255")
        self.association.secret = self.password
        name = GXDLMSData("0.0.42.0.0.255")
        name.value = given["name"].encode()
        energy = GXDLMSRegister("1.0.1.8.0.255")
        energy.value = given["energy"]
        energy.setDataType(2, DataType.UINT32)
        energy.scaler = 1
        energy.unit = Unit.ACTIVE_ENERGY
        for item in (self.association, name, energy):
            self.items.append(item)
        # An empty list makes the library fail when it starts.
        self.association.objectList.extend(self.items)
        self.initialize()

    def serve(self, connection):
        self.reset()
        while octets := connection.recv(4096):
            answer = Answer(octets)
            self.handleRequest(answer)
            if answer.reply:
                connection.sendall(bytes(answer.reply))

    # What the library asks its meter.

    def isTarget(self, serverAddress, clientAddress):
        return serverAddress == 1 and clientAddress in (CLIENT, PUBLIC_CLIENT)

    def onValidateAuthentication(self, authentication, password):
        expected = Authentication.NONE if self.settings.clientAddress == PUBLIC_CLIENT else self.mechanism
        if authentication != expected:
            return SourceDiagnostic.AUTHENTICATION_MECHANISM_NAME_NOT_RECOGNISED
        proved = authentication != Authentication.LOW or bytes(password) == self.password
        return SourceDiagnostic.NONE if proved else SourceDiagnostic.AUTHENTICATION_FAILURE

    def onFindObject(self, objectType, sn, ln):
        return self.association if objectType == ObjectType.ASSOCIATION_LOGICAL_NAME else None

    def onGetAttributeAccess(self, arg):
        return AccessMode.READ

    def onGetMethodAccess(self, arg):
        return MethodAccessMode.NO_ACCESS

    def ignore(self, *_args):
        pass

    onPreGet = onPostGet = onPreRead = onPostRead = onPreWrite = onPostWrite = onPreAction = onPostAction = ignore
    onConnected = onInvalidConnection = onDisconnected = ignore
    # Names by which the command handlers of the library call the server, and which its class lacks.
    notifyRead = notifyConnected = ignore

    def getTransaction(self):
        return self.transaction

    def setTransaction(self, transaction):
        self.transaction = transaction


def serve(meter):
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            try:
                meter.serve(self.request)
            except OSError:
                pass

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server.server_address[1]


def main():
    meters = {given["sn"]: Meter(given) for given in json.loads(sys.stdin.readline())}
    print(json.dumps({"ports": {sn: serve(meter) for sn, meter in meters.items()}}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
