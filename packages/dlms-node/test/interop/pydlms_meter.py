"""Meters of pydlms, for our client to read.

Usage: pydlms_meter.py METERS
METERS is one JSON object: a name, and the fields that `meter_of` reads; octets are hex. Prints one JSON line with the port of each,
and ends with its standard input.
"""

import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec

from pydlms import Mechanism, SecurityContext
from pydlms.apdu.xdlms import Conformance
from pydlms.cosem.data import DlmsData
from pydlms.security.ec import load_public_key
from pydlms.simulator import ClientProfile, example_meter, serve

TITLE = bytes.fromhex("5059440000000001")
CURVES = {32: ec.SECP256R1, 48: ec.SECP384R1}


def octets(text):
    return None if text is None else bytes.fromhex(text)


def meter_of(given):
    suite = given.get("suite", 0)
    conformance = Conformance.default_ln() | Conformance.GENERAL_PROTECTION | Conformance.DATA_NOTIFICATION | Conformance.ACCESS
    if "window" in given:
        conformance |= Conformance.GENERAL_BLOCK_TRANSFER
    if "granted" in given:
        conformance = Conformance(0)
        for name in given["granted"]:
            conformance |= Conformance[name]
    meter = example_meter(system_title=TITLE, max_pdu=given.get("pdu", 1024), conformance=conformance)
    meter.add_object(1, "0.0.96.1.1.255", {2: DlmsData.octet_string(b"")})
    # Gives its argument back.
    meter.add_method(1, "0.0.96.1.1.255", 1, lambda _meter, parameters: parameters)
    meter.encryption_key, meter.authentication_key = octets(given["ek"]), octets(given["ak"])
    peer = None
    private_key = None
    if "privateKey" in given:
        key = given["privateKey"]
        private_key = ec.derive_private_key(int(key, 16), CURVES[len(key) // 2]())
        peer = load_public_key(suite, bytes.fromhex(given["publicKey"]))
    meter.security = SecurityContext(
        meter.encryption_key,
        meter.authentication_key,
        client_system_title=TITLE,
        suite=suite,
        master_key=octets(given.get("kek")),
        signing_key=private_key,
        peer_signing_key=peer,
        key_agreement_key=private_key,
        peer_key_agreement_key=peer,
        general_aad="with-header",
    )
    meter.signing_key = private_key
    meter.gbt_window = given.get("window", 1)
    meter.drop_gbt_blocks = set(given.get("loses", []))
    meter.drop_gbt_requests = set(given.get("ignores", []))
    password = octets(given["password"])
    meter.clients.update(
        {
            1: ClientProfile(Mechanism.HLS_GMAC, ciphered=True),
            2: ClientProfile(),
            3: ClientProfile(Mechanism.LLS, password),
            4: ClientProfile(Mechanism.HLS, password),
            5: ClientProfile(Mechanism.HLS_MD5, password),
            6: ClientProfile(Mechanism.HLS_SHA1, password),
            7: ClientProfile(Mechanism.HLS_SHA256, password),
            8: ClientProfile(Mechanism.HLS_ECDSA, ciphered=True, client_public_key=peer),
        }
    )
    return meter


def main():
    ports = {}
    for name, given in json.loads(sys.argv[1]).items():
        server = serve(meter_of(given), hdlc=given.get("hdlc", False), hdlc_window=given.get("hdlcWindow", 1))
        ports[name] = server.server_address[1]
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


main()
