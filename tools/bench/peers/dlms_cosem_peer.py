"""dlms-cosem for Python. Arguments: port, push in hex, number of its values."""

import logging
import sys

import structlog

from dlms_cosem import cosem, enumerations, utils
from dlms_cosem.client import DlmsClient
from dlms_cosem.io import BlockingTcpIO, TcpTransport
from dlms_cosem.parsers import ProfileGenericBufferParser
from dlms_cosem.protocol.xdlms import DataNotification
from dlms_cosem.security import HighLevelSecurityGmacAuthentication, NoSecurityAuthentication

from peer_loop import AK, EK, expect, run

PORT, PUSH, VALUES = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])

# Its log of every APDU would be most of the work.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def connect(sap, **options):
    io = BlockingTcpIO(host="127.0.0.1", port=PORT)
    client = DlmsClient(transport=TcpTransport(client_logical_address=sap, server_logical_address=1, io=io), max_pdu_size=1024, **options)
    client.connect()
    client.associate()
    return client


def attribute(interface, instance, number):
    return cosem.CosemAttribute(interface=interface, instance=cosem.Obis.from_string(instance), attribute=number)


plain = connect(2, authentication=NoSecurityAuthentication())
ciphered = connect(
    1,
    authentication=HighLevelSecurityGmacAuthentication(challenge_length=16),
    encryption_key=EK,
    authentication_key=AK,
    client_system_title=bytes.fromhex("4443530000000001"),
    client_initial_invocation_counter=1,
    meter_initial_invocation_counter=0,
)
REGISTER = attribute(enumerations.CosemInterface.REGISTER, "1.0.32.7.0.255", 2)
PROFILE = attribute(enumerations.CosemInterface.PROFILE_GENERIC, "1.0.99.1.0.255", 2)
PARSER = ProfileGenericBufferParser(
    capture_objects=[
        attribute(enumerations.CosemInterface.CLOCK, "0.0.1.0.0.255", 2),
        attribute(enumerations.CosemInterface.DATA, "0.0.96.10.1.255", 2),
        attribute(enumerations.CosemInterface.REGISTER, "1.0.1.8.0.255", 2),
    ],
    capture_period=15,
)

def read_profile():
    expect(len(PARSER.parse_bytes(plain.get(PROFILE))), 960)


run(
    {
        "get": lambda: expect(utils.parse_as_dlms_data(plain.get(REGISTER)), 2301),
        "cipheredGet": lambda: expect(utils.parse_as_dlms_data(ciphered.get(REGISTER)), 2301),
        "profile": read_profile,
        "scaledProfile": read_profile,
        "push": lambda: expect(len(utils.parse_as_dlms_data(DataNotification.from_bytes(PUSH).body)), VALUES),
    }
)
