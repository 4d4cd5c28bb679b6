"""pydlms-client. Arguments: port, push in hex, number of its values."""

import sys

from pydlms import DlmsClient, Mechanism, SecurityContext
from pydlms.push import decode_notification

from peer_loop import AK, EK, expect, run

PORT, PUSH, VALUES = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
TITLE = bytes.fromhex("5044430000000001")

plain = DlmsClient.tcp("127.0.0.1", PORT, client_sap=2, mechanism=Mechanism.NONE, max_receive_pdu_size=1024).connect()
ciphered = DlmsClient.tcp(
    "127.0.0.1",
    PORT,
    client_sap=1,
    mechanism=Mechanism.HLS_GMAC,
    security=SecurityContext(EK, AK, client_system_title=TITLE, invocation_counter=1),
    client_system_title=TITLE,
    max_receive_pdu_size=1024,
).connect()

run(
    {
        "get": lambda: expect(plain.get("1.0.32.7.0.255", 3, 2).value, 2301),
        "cipheredGet": lambda: expect(ciphered.get("1.0.32.7.0.255", 3, 2).value, 2301),
        # `read_profile` reads the columns again each time: the first is its part that the others do.
        "profile": lambda: expect(len(plain.get("1.0.99.1.0.255", 7, 2).value), 960),
        "scaledProfile": lambda: expect(len(plain.read_profile("1.0.99.1.0.255", typed=True, scalers=True).rows), 960),
        "push": lambda: expect(len(decode_notification(PUSH)[0].body.value), VALUES),
    }
)
