"""Meters of pydlms for the matrix of interoperability.

Usage: pydlms_meters.py, with one line of JSON on standard input: the meters as tools/interop/peer-meters.ts describes them.
Prints one line of JSON with the port of each, then one line for each effect. Further lines on standard input order pushes, and their end
ends the meters.
"""

import datetime
import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec

from pydlms import Mechanism, SecurityContext
from pydlms.apdu.xdlms import Conformance, DataNotification
from pydlms.cosem.data import DlmsData
from pydlms.cosem.time import CosemDateTime
from pydlms.obis import ObisCode
from pydlms.security.ec import load_public_key
from pydlms.simulator import ClientProfile, MeterSimulator, serve

CURVES = {32: ec.SECP256R1, 48: ec.SECP384R1}
MECHANISMS = {
    "none": Mechanism.NONE,
    "low": Mechanism.LLS,
    "high": Mechanism.HLS,
    "hls_md5": Mechanism.HLS_MD5,
    "hls_sha1": Mechanism.HLS_SHA1,
    "hls_gmac": Mechanism.HLS_GMAC,
    "hls_sha256": Mechanism.HLS_SHA256,
    "hls_ecdsa": Mechanism.HLS_ECDSA,
}
CLOCK, ENERGY, PROFILE, RELAY = "0.0.1.0.0.255", "1.0.1.8.0.255", "1.0.99.1.0.255", "0.0.96.3.10.255"
NAME, PUSH = "0.0.42.0.0.255", "0.0.25.9.0.255"


def tell(**effect):
    # One write: each connection has a thread, and lines must not mix.
    sys.stdout.write(json.dumps(effect) + "\n")
    sys.stdout.flush()


def moment(at_ms):
    return DlmsData.octet_string(
        CosemDateTime.from_datetime(datetime.datetime.fromtimestamp(at_ms / 1000, datetime.timezone.utc)).to_bytes()
    )


def reference(class_id, obis, attribute):
    name = DlmsData.octet_string(ObisCode.parse(obis).to_bytes())
    return DlmsData.structure([DlmsData.uint16(class_id), name, DlmsData.int8(attribute), DlmsData.uint16(0)])


class Reported(dict):
    """Attributes of the clock, which tell when their time is set."""

    def __init__(self, sn, attributes):
        super().__init__(attributes)
        self.sn = sn

    def __setitem__(self, attribute, value):
        super().__setitem__(attribute, value)
        if attribute == 2:
            when = CosemDateTime.from_bytes(bytes(value.value)).to_datetime()
            tell(sn=self.sn, clock=round(when.timestamp() * 1000))


def add_relay(meter, sn):
    meter.add_object(70, RELAY, {2: DlmsData.boolean(True), 3: DlmsData.enum(1), 4: DlmsData.enum(4)})
    relay = meter.objects[(70, ObisCode.parse(RELAY))]

    def switch(is_on):
        def method(_meter, _parameters):
            relay[2], relay[3] = DlmsData.boolean(is_on), DlmsData.enum(int(is_on))
            tell(sn=sn, relay=is_on)

        return method

    meter.add_method(70, RELAY, 1, switch(False))
    meter.add_method(70, RELAY, 2, switch(True))


def add_objects(meter, given):
    meter.add_object(1, NAME, {2: DlmsData.octet_string(given["name"].encode())})
    scaler = DlmsData.structure([DlmsData.int8(0), DlmsData.enum(30)])
    meter.add_object(3, ENERGY, {2: DlmsData.uint32(given["energy"]), 3: scaler})
    meter.add_object(8, CLOCK, {2: moment(given["clock"]), 3: DlmsData.int16(0), 4: DlmsData.uint8(0)})
    key = (8, ObisCode.parse(CLOCK))
    meter.objects[key] = Reported(given["sn"], meter.objects[key])
    rows = given["rows"]
    row = lambda i: DlmsData.structure([moment(rows["from"] + i * rows["period"]), DlmsData.uint32(rows["first"] + i)])
    meter.add_object(
        7,
        PROFILE,
        {
            2: DlmsData.array([row(i) for i in range(rows["count"])]),
            3: DlmsData.array([reference(8, CLOCK, 2), reference(3, ENERGY, 2)]),
            4: DlmsData.uint32(rows["period"] // 1000),
            5: DlmsData.enum(1),
            7: DlmsData.uint32(rows["count"]),
            8: DlmsData.uint32(rows["count"]),
        },
        version=1,
    )
    add_relay(meter, given["sn"])


def meter_of(given):
    conformance = Conformance.default_ln() | Conformance.GENERAL_PROTECTION | Conformance.DATA_NOTIFICATION
    meter = MeterSimulator(system_title=bytes.fromhex(given["title"]), max_pdu=512, conformance=conformance)
    add_objects(meter, given)
    mechanism = given["mechanism"]
    own = peer = None
    if "privateKey" in given:
        own = ec.derive_private_key(int(given["privateKey"], 16), CURVES[len(given["privateKey"]) // 2]())
        peer = load_public_key(given["suite"], bytes.fromhex(given["headEndKey"]))
    meter.encryption_key, meter.authentication_key = bytes.fromhex(given["ek"]), bytes.fromhex(given["ak"])
    meter.security = SecurityContext(
        meter.encryption_key,
        meter.authentication_key,
        client_system_title=meter.system_title,
        suite=given["suite"],
        signing_key=own,
        peer_signing_key=peer,
    )
    meter.signing_key = own
    is_ciphered = mechanism in ("hls_gmac", "hls_ecdsa")
    secret = None if mechanism == "none" or is_ciphered else given["password"].encode()
    meter.clients = {
        16: ClientProfile(),
        1: ClientProfile(MECHANISMS[mechanism], secret, ciphered=is_ciphered, client_public_key=peer),
    }
    return meter


def push(meter, given, value):
    """A push that begins with its object list. It is sent on the connection of the client, before the next response."""
    meter.objects[(3, ObisCode.parse(ENERGY))][2] = DlmsData.uint32(value)
    objects = DlmsData.array([reference(40, PUSH, 2), reference(1, NAME, 2), reference(3, ENERGY, 2)])
    name = DlmsData.octet_string(given["name"].encode())
    body = DlmsData.structure([objects, name, DlmsData.uint32(value)])
    meter.push_before_response(DataNotification(1, body).to_bytes(), protection="general-glo")


def main():
    settings = {given["sn"]: given for given in json.loads(sys.stdin.readline())}
    meters = {sn: meter_of(given) for sn, given in settings.items()}
    servers = {sn: serve(meter, hdlc=settings[sn]["framing"] == "hdlc") for sn, meter in meters.items()}
    tell(ports={sn: server.server_address[1] for sn, server in servers.items()})
    for line in sys.stdin:
        order = json.loads(line)
        push(meters[order["sn"]], settings[order["sn"]], order["push"])


main()
