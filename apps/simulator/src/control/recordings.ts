import type { ServerObject } from '@hes/dlms/association/server-options.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { rawData } from '@hes/dlms/cosem/data.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import { dataResult, type DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';
import { selectiveAccess, type AttributeDescriptor, type SelectedAttribute } from '@hes/dlms/xdlms/descriptors.ts';
import { getRequest, getResponse, type GetResponse } from '@hes/dlms/xdlms/get.ts';
import { serviceList } from '@hes/dlms/xdlms/service-list.ts';

/** A deciphered APDU of a recorded session. */
export interface RecordedApdu {
  direction: 'down' | 'up';
  apdu: Uint8Array;
}

type Answer = Uint8Array | DataAccessResult;
/** Responses to one request in order; the last one repeats. */
type Answers = Map<string, Answer[]>;

/** Recorded responses of devices, replayed for a limited time. */
export interface Recordings {
  /** Starts the replay for a device and returns the number of its recorded responses. */
  play(sn: string, session: readonly RecordedApdu[]): number;
  stop(): void;
  /** The object itself, or one that replays its recorded responses. */
  replayed(sn: string, object: ServerObject): ServerObject;
}

/** The replay ends automatically, so a forgotten one does not distort later readings. */
const PLAYED_MS = 15 * 60_000;

const questionOf = ({ classId, instance, attributeId }: AttributeDescriptor, selection: Selection | undefined): string =>
  `${classId} ${instance} ${attributeId} ${selection === undefined ? '' : Buffer.from(encode(selectiveAccess, selection)).toString('hex')}`;

/** Decodes an APDU; undefined for another kind, since a recorded session also holds associations and pushes. */
function read<T>(codec: Parameters<typeof decode<T>>[0], apdu: Uint8Array): T | undefined {
  try {
    return decode(codec, apdu);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const resultList = serviceList(dataResult(rawData), 2);

/** Requests and responses of a session. Blocks are reassembled; requests without a response are left out. */
export function answersOf(session: readonly RecordedApdu[]): Answers {
  const answers: Answers = new Map();
  let asked: SelectedAttribute[] = [];
  let blocks: Uint8Array[] = [];
  const keep = (at: number, answer: Answer): void => {
    const question = asked[at];
    if (question === undefined) return;
    const key = questionOf(question.attribute, question.selection);
    answers.set(key, [...(answers.get(key) ?? []), answer]);
  };
  const take = (response: GetResponse): void => {
    if (response.kind === 'normal') return keep(0, response.result.ok ? response.result.data : response.result.result);
    if (response.kind === 'withList') return response.results.forEach((one, at) => keep(at, one.ok ? one.data : one.result));
    if (!response.result.ok) return keep(0, response.result.result);
    blocks.push(response.result.data);
    if (!response.lastBlock) return;
    const whole = Buffer.concat(blocks);
    if (asked.length === 1) keep(0, whole);
    else for (const [at, one] of (read(resultList, whole) ?? []).entries()) keep(at, one.ok ? one.data : one.result);
  };
  for (const { direction, apdu } of session) {
    if (direction === 'up') {
      const response = read(getResponse, apdu);
      if (response !== undefined) take(response);
      continue;
    }
    const request = read(getRequest, apdu);
    if (request === undefined || request.kind === 'next') continue;
    asked = request.kind === 'normal' ? [request] : request.items;
    blocks = [];
  }
  return answers;
}

export function createRecordings(): Recordings {
  const playing = new Map<string, { answers: Answers; endsAt: number }>();

  const answerOf = (sn: string, question: string): Answer | undefined => {
    const played = playing.get(sn);
    if (played === undefined) return undefined;
    if (performance.now() > played.endsAt) return void playing.delete(sn);
    const known = played.answers.get(question);
    return known !== undefined && known.length > 1 ? known.shift() : known?.[0];
  };

  return {
    play(sn, session) {
      const answers = answersOf(session);
      playing.set(sn, { answers, endsAt: performance.now() + PLAYED_MS });
      return [...answers.values()].reduce((sum, list) => sum + list.length, 0);
    },
    stop: () => playing.clear(),
    replayed(sn, object) {
      if (!playing.has(sn)) return object;
      const { classId, instance } = object;
      return {
        ...object,
        read: (attributeId, selection) =>
          answerOf(sn, questionOf({ classId, instance, attributeId }, selection)) ?? object.read(attributeId, selection),
      };
    },
  };
}
