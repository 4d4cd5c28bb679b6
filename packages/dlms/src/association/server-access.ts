import { decode, encode } from '../codec/codec.ts';
import { accessRequest, accessResponse, type AccessRequest, type AccessResponse } from '../xdlms/access.ts';
import { invokeMethod, readAttribute, writeAttribute, type ServiceContext } from './server-members.ts';

const NULL_DATA = Uint8Array.of(0);
type Specification = AccessRequest['specifications'][number];
type Outcome = AccessResponse['results'][number];

/** Serves an ACCESS request, item by item. Throws `DecodeError` if it is broken. */
export function serveAccess(context: ServiceContext, apdu: Uint8Array): Uint8Array {
  const { longInvoke, specifications, data } = decode(accessRequest, apdu);
  const answers: { outcome: Outcome; data: Uint8Array }[] = [];
  let broken = false;
  specifications.forEach((specification, i) => {
    const argument = data[i];
    const answer = broken || argument === undefined ? skippedOutcome(specification) : performItem(context, specification, argument);
    if (answer.outcome.result !== 'success' && longInvoke.breakOnError) broken = true;
    answers.push(answer);
  });
  return encode(accessResponse, {
    longInvoke,
    data: answers.map((answer) => answer.data),
    results: answers.map(({ outcome }) => outcome),
  });
}

const kindOf = ({ kind }: Specification): Outcome['kind'] => {
  if (kind === 'action') return 'action';
  return kind === 'get' || kind === 'getWithSelection' ? 'get' : 'set';
};

const skippedOutcome = (specification: Specification) => ({
  outcome: { kind: kindOf(specification), result: 'otherReason' as const },
  data: NULL_DATA,
});

function performItem(context: ServiceContext, specification: Specification, argument: Uint8Array): { outcome: Outcome; data: Uint8Array } {
  if (specification.kind === 'action') {
    const { result, returned } = invokeMethod(context, specification.method, argument);
    return { outcome: { kind: 'action', result }, data: returned?.data ?? NULL_DATA };
  }
  const { attribute } = specification;
  const selection = 'selection' in specification ? specification.selection : undefined;
  if (specification.kind === 'get' || specification.kind === 'getWithSelection') {
    const answer = readAttribute(context, attribute, selection);
    return answer.ok
      ? { outcome: { kind: 'get', result: 'success' }, data: answer.data }
      : { outcome: { kind: 'get', result: answer.result }, data: NULL_DATA };
  }
  return { outcome: { kind: 'set', result: writeAttribute(context, { attribute, selection }, argument) }, data: NULL_DATA };
}
