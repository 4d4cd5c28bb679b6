"""A client of pydlms, for our meter to answer.

Usage: pydlms_client.py PORT SETTINGS
SETTINGS is one JSON object with the fields that `connected` reads; octets are hex.
Reads commands from standard input, one JSON list a line, and answers each with one line of JSON.
"""

import datetime
import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec

from pydlms import AccessAction, AccessGet, AccessSet, DlmsClient, DlmsData, Mechanism, SecurityContext
from pydlms.apdu.xdlms import AttributeDescriptor, Conformance, SetRequestNormal, entry_descriptor, invoke_id_byte, range_descriptor
from pydlms.cosem.time import CosemDateTime
from pydlms.obis import ObisCode
from pydlms.hdlc.connection import HdlcParameters
from pydlms.security.ec import load_public_key
from pydlms.security.general import KeyInfo

TITLE = bytes.fromhex("4D4D4D0000000003")
CURVES = {32: ec.SECP256R1, 48: ec.SECP384R1}
KEY_INFOS = {
    "identified": KeyInfo("identified"),
    "wrapped": KeyInfo("wrapped"),
    "onePass": KeyInfo("agreed", scheme=1),
    "static": KeyInfo("agreed", scheme=2),
}


def octets(text):
    return None if text is None else bytes.fromhex(text)


def private_key(text):
    return None if text is None else ec.derive_private_key(int(text, 16), CURVES[len(text) // 2]())


def public_key(suite, text):
    return None if text is None else load_public_key(suite, bytes.fromhex(text))


def security_of(given):
    if "ek" not in given:
        return None
    suite = given.get("suite", 0)
    own, peer = private_key(given.get("privateKey")), public_key(suite, given.get("publicKey"))
    return SecurityContext(
        octets(given["ek"]),
        octets(given["ak"]),
        client_system_title=TITLE,
        invocation_counter=given["counter"],
        suite=suite,
        broadcast_key=octets(given.get("bk")),
        master_key=octets(given.get("kek")),
        signing_key=own,
        peer_signing_key=peer,
        key_agreement_key=own,
        peer_key_agreement_key=peer,
        # What the standard authenticates, and we do.
        general_aad="with-header",
    )


def connected(port, given):
    security = security_of(given)
    options = {
        "client_sap": given["client"],
        "mechanism": Mechanism[given["mechanism"]],
        "password": octets(given.get("password")),
        "security": None if given.get("plain") else security,
        "max_receive_pdu_size": given.get("pdu", 1024),
        "propose_gbt": "window" in given,
        "gbt_window": given.get("window", 1),
        "client_system_title": TITLE,
        "propose_access": True,
        "use_dedicated_key": given.get("dedicated", False),
        "protection": given.get("protection", "glo"),
        "key_info": KEY_INFOS[given["keyInfo"]] if "keyInfo" in given else None,
        "signing_key": security.signing_key if security is not None else None,
        "server_public_key": security.peer_signing_key if security is not None else None,
    }
    if given.get("general"):
        options["conformance"] = Conformance.default_ln() | Conformance.GENERAL_PROTECTION
    if "hdlc" in given:
        size = given["hdlc"]
        return DlmsClient.tcp("127.0.0.1", port, hdlc=True, hdlc_parameters=HdlcParameters(size, size), **options)
    if given.get("udp"):
        return DlmsClient.udp("127.0.0.1", port, **options)
    return DlmsClient.tcp("127.0.0.1", port, **options)


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, DlmsData):
        return plain(value.value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex().upper()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.name if hasattr(value, "name") else value


def moment(text):
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return DlmsData.octet_string(CosemDateTime.from_datetime(when).to_bytes())


def selection_of(kind, *bounds):
    if kind == "rows":
        return entry_descriptor(*bounds)
    return range_descriptor(moment(bounds[0]), moment(bounds[1]))


def text_of(size):
    return DlmsData.octet_string(bytes(i % 251 for i in range(size)))


def operation(kind, class_id, obis, member, *rest):
    if kind == "get":
        return AccessGet(obis, class_id, member)
    if kind == "set":
        return AccessSet(obis, class_id, member, text_of(rest[0]))
    return AccessAction(obis, class_id, member, DlmsData.int8(rest[0]))


def answer(meter, command, *given):
    if command == "read":
        class_id, obis, attribute = given
        return plain(meter.get(obis, class_id, attribute))
    if command == "list":
        return plain(meter.get_many([(obis, class_id, attribute) for class_id, obis, attribute in given]))
    if command == "write":
        class_id, obis, attribute, size = given
        meter.set(obis, class_id, attribute, text_of(size))
        return plain(meter.get(obis, class_id, attribute)) == plain(text_of(size))
    if command == "write_unconfirmed":
        class_id, obis, attribute, size = given
        invoke = invoke_id_byte(meter.association.next_invoke_id() & 0x0F, confirmed=False)
        request = SetRequestNormal(invoke, AttributeDescriptor(class_id, ObisCode.parse(obis), attribute), text_of(size))
        meter.association.send_unconfirmed(request.to_bytes())
        return plain(meter.get(obis, class_id, attribute)) == plain(text_of(size))
    if command == "broadcast":
        class_id, obis, attribute, value = given
        meter.broadcast_set(obis, class_id, attribute, DlmsData.int16(value))
        return True
    if command == "write_list":
        return plain(meter.set_many([(obis, class_id, attribute, text_of(size)) for class_id, obis, attribute, size in given]))
    if command == "invoke":
        class_id, obis, method, value = given
        meter.action(obis, class_id, method, DlmsData.int8(value))
        return True
    if command == "echo":
        class_id, obis, method, size = given
        return plain(meter.action(obis, class_id, method, text_of(size))) == plain(text_of(size))
    if command == "invoke_list":
        return plain(meter.action_many([(obis, class_id, method, DlmsData.int8(value)) for class_id, obis, method, value in given]))
    if command == "access":
        return [[outcome.result.name, plain(outcome.data)] for outcome in meter.access([operation(*item) for item in given])]
    if command == "profile":
        buffer = meter.read_profile(given[0], selection_of(*given[1:]) if len(given) > 1 else None)
        return [len(buffer.rows), plain(buffer.rows[0][1:]) if buffer.rows else None]
    if command == "objects":
        return [f"{int(entry.class_id)}/{entry.logical_name}" for entry in meter.get_association_view()]
    if command == "granted":
        return [flag.name for flag in Conformance if flag in meter.conformance]
    if command == "release":
        meter.association.release()
        return meter.association.release_status
    raise ValueError(command)


def main():
    port, given = int(sys.argv[1]), json.loads(sys.argv[2])
    meter = connected(port, given).connect()
    try:
        for line in sys.stdin:
            print(json.dumps({"value": answer(meter, *json.loads(line))}), flush=True)
    finally:
        meter.close()


main()
