import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../codec/hex.ts';
import { anyFrame } from '../../../test/support/hdlc-arbitraries.ts';
import { clientAddress, serverAddress } from './address.ts';
import type { HdlcControl } from './control.ts';
import { decodeHdlcFrame, encodeHdlcFrame } from './frame.ts';
import { LINK_TABLES, stepLink, type LinkTable } from './link.ts';
import { createLink, LinkError, type LinkEvent, type LinkPhase, type LinkRole, type LinkState, type LinkStep } from './link-state.ts';
import { DEFAULT_PARAMETERS, encodeParameters, type HdlcParameters } from './parameters.ts';

const CLIENT = clientAddress(16);
const SERVER = serverAddress(1, 17);
const own = (role: LinkRole, parameters: Partial<HdlcParameters> = {}) => ({
  role,
  own: role === 'client' ? CLIENT : SERVER,
  peer: role === 'client' ? SERVER : CLIENT,
  parameters: { ...DEFAULT_PARAMETERS, ...parameters },
});
const POLL = { pollFinal: true };

/** A frame from the peer of `role`. */
const from = (role: LinkRole, control: HdlcControl, information = '', segmented = false): LinkEvent => {
  const { own: destination, peer: source } = own(role);
  return { type: 'frame', frame: { destination, source, control, segmented, information: fromHex(information) } };
};

const run = (state: LinkState, ...events: LinkEvent[]): LinkStep => {
  let step: LinkStep = { state, send: [], received: [], announced: [], refused: [] };
  for (const event of events) step = stepLink(step.state, event);
  return step;
};
const controls = (step: LinkStep): HdlcControl[] => step.send.map((octets) => decodeHdlcFrame(octets).control);

const UA = from('client', { kind: 'ua', ...POLL });
const SNRM = from('server', { kind: 'snrm', ...POLL });
const connectedClient = (): LinkState => run(createLink(own('client')), { type: 'connect' }, UA).state;
const connectedServer = (): LinkState => run(createLink(own('server')), SNRM).state;

describe('the tables of a link', () => {
  const tables: [LinkRole, LinkTable][] = [
    ['client', LINK_TABLES.client],
    ['server', LINK_TABLES.server],
  ];
  const reachable = (table: LinkTable, first: LinkPhase): Set<LinkPhase> => {
    const seen = new Set<LinkPhase>([first]);
    for (const phase of seen) for (const { next } of Object.values(table[phase] ?? {})) seen.add(next);
    return seen;
  };

  for (const [role, table] of tables) {
    const phases = Object.keys(table) as LinkPhase[]; // as: the table's own keys
    it(`reach every phase of a ${role}, and leave each of them`, () => {
      expect([...reachable(table, 'disconnected')].toSorted()).toEqual(phases.toSorted());
      for (const phase of phases) expect(reachable(table, phase)).toContain('disconnected');
      for (const phase of phases) expect(reachable(table, phase).size).toBe(phases.length);
    });

    it(`define every frame in every phase of a ${role}`, () => {
      for (const phase of phases)
        for (const kind of ['i', 'rr', 'rnr', 'snrm', 'disc', 'ua', 'dm', 'frmr', 'ui', 'overflow'] as const)
          expect(table[phase]?.[kind], `${phase} ${kind}`).toBeDefined();
    });
  }

  it('refuse an undefined event by name', () => {
    const apdu = Uint8Array.of(1);
    const misplaced: [LinkState, LinkEvent][] = [
      [createLink(own('client')), { type: 'send', apdu }],
      [createLink(own('client')), { type: 'timeout' }],
      [createLink(own('client')), { type: 'disconnect' }],
      [connectedClient(), { type: 'pass' }],
      [createLink(own('server')), { type: 'connect' }],
      [createLink(own('server')), { type: 'send', apdu }],
    ];
    for (const [state, event] of misplaced) expect(() => stepLink(state, event)).toThrow(LinkError);
    expect(() => stepLink(connectedClient(), { type: 'pass' })).toThrow('UNEXPECTED_EVENT pass on a link that is connected');
  });

  it('return a step for any frames, and never throw', () => {
    const start = fc.constantFrom(
      createLink(own('client')),
      run(createLink(own('client')), { type: 'connect' }).state,
      connectedClient(),
      run(connectedClient(), { type: 'disconnect' }).state,
      createLink(own('server')),
      connectedServer(),
    );
    fc.assert(
      fc.property(start, fc.array(anyFrame, { maxLength: 20 }), (first, frames) => {
        let state = first;
        for (const frame of frames) {
          const { own: destination, peer: source } = state.settings;
          state = stepLink(state, { type: 'frame', frame: { ...frame, destination, source } }).state;
          expect(state.sent).toBeLessThanOrEqual(state.limits.windowTransmit);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a client', () => {
  it('connects with its parameters and stays within the limits of the server', () => {
    const asked = stepLink(createLink(own('client', { maxInformationTransmit: 512, windowTransmit: 3 })), { type: 'connect' });
    expect(controls(asked)).toEqual([{ kind: 'snrm', pollFinal: true }]);
    const ua = toHex(encodeParameters({ ...DEFAULT_PARAMETERS, maxInformationReceive: 256, windowReceive: 2 }));
    const { state } = stepLink(asked.state, from('client', { kind: 'ua', ...POLL }, ua));
    expect(state).toMatchObject({ phase: 'connected', limits: { maxInformationTransmit: 256, windowTransmit: 2, windowReceive: 1 } });
  });

  it('connects again over a link that its server may have dropped, with fresh numbers', () => {
    const answer = { kind: 'i', sendSequence: 0, receiveSequence: 1, pollFinal: true } as const;
    const used = run(connectedClient(), { type: 'send', apdu: fromHex('C001') }, from('client', answer, 'E6E700C401')).state;
    expect(used).toMatchObject({ expected: 1, acknowledged: 1 });
    const again = stepLink(used, { type: 'connect' });
    expect(controls(again)).toEqual([{ kind: 'snrm', pollFinal: true }]);
    expect(again.state).toMatchObject({ phase: 'connecting', expected: 0, acknowledged: 0 });
  });

  it('retransmits after a timeout and ends the link after its retries', () => {
    let step = stepLink(createLink({ ...own('client'), retries: 2 }), { type: 'connect' });
    for (let i = 0; i < 2; i++) {
      step = stepLink(step.state, { type: 'timeout' });
      expect(controls(step)).toEqual([{ kind: 'snrm', pollFinal: true }]);
    }
    step = stepLink(step.state, { type: 'timeout' });
    expect(step).toMatchObject({ ended: 'NO_ANSWER', state: { phase: 'disconnected' } });
  });

  it('reports why a server does not connect', () => {
    const asked = run(createLink(own('client')), { type: 'connect' }).state;
    expect(stepLink(asked, from('client', { kind: 'dm', ...POLL })).ended).toBe('REFUSED');
    expect(stepLink(asked, from('client', { kind: 'frmr', ...POLL })).ended).toBe('REJECTED');
    expect(stepLink(asked, from('client', { kind: 'ua', ...POLL }, '818003070108')).ended).toBe('BAD_PARAMETERS');
  });

  it('splits a message into segments, and sends the next when the last is acknowledged', () => {
    const first = stepLink(connectedClient(), { type: 'send', apdu: new Uint8Array(300).fill(0xaa) });
    const frames = first.send.map(decodeHdlcFrame);
    expect(frames.map(({ control, segmented, information }) => [control.pollFinal, segmented, information.length])).toEqual([
      [true, true, 128],
    ]);
    expect(toHex(frames[0]?.information.subarray(0, 4) ?? new Uint8Array())).toBe('E6E600AA');
    const second = stepLink(first.state, from('client', { kind: 'rr', receiveSequence: 1, ...POLL }));
    const third = stepLink(second.state, from('client', { kind: 'rr', receiveSequence: 2, ...POLL }));
    expect(third.send.map(decodeHdlcFrame).map(({ segmented, information }) => [segmented, information.length])).toEqual([[false, 47]]);
    expect(controls(third)).toEqual([{ kind: 'i', sendSequence: 2, receiveSequence: 0, pollFinal: true }]);
  });

  it('reassembles segments and polls for the rest', () => {
    const sent = stepLink(connectedClient(), { type: 'send', apdu: Uint8Array.of(0xc0) }).state;
    const first = stepLink(sent, from('client', { kind: 'i', sendSequence: 0, receiveSequence: 1, ...POLL }, 'E6E700C4', true));
    expect(first.received).toEqual([]);
    expect(controls(first)).toEqual([{ kind: 'rr', receiveSequence: 1, pollFinal: true }]);
    const last = stepLink(first.state, from('client', { kind: 'i', sendSequence: 1, receiveSequence: 1, ...POLL }, '0102'));
    expect(last.received.map(toHex)).toEqual(['C40102']);
    expect(last.send).toEqual([]);
  });

  it('accepts each frame once, and only in sequence', () => {
    const sent = stepLink(connectedClient(), { type: 'send', apdu: Uint8Array.of(0xc0) }).state;
    const answer = from('client', { kind: 'i', sendSequence: 0, receiveSequence: 1, ...POLL }, 'E6E700C401');
    const first = stepLink(sent, answer);
    expect(first.received.map(toHex)).toEqual(['C401']);
    expect(stepLink(first.state, answer).received).toEqual([]);
    for (const sendSequence of [2, 7]) {
      const wrong = stepLink(first.state, from('client', { kind: 'i', sendSequence, receiveSequence: 1, ...POLL }, 'E6E700C402'));
      expect(wrong.received).toEqual([]);
      expect(wrong.state.expected).toBe(1);
    }
  });

  it('retransmits unacknowledged frames, and ends the link when the server never acknowledges', () => {
    let step = stepLink(connectedClient(), { type: 'send', apdu: Uint8Array.of(0xc0) });
    const first = step.send.map(toHex);
    for (let i = 0; i < 3; i++) {
      step = stepLink(step.state, i === 1 ? { type: 'timeout' } : from('client', { kind: 'rr', receiveSequence: 0, ...POLL }));
      expect(step.send.map(toHex)).toEqual(first);
    }
    step = stepLink(step.state, from('client', { kind: 'rr', receiveSequence: 0, ...POLL }));
    expect(step.ended).toBe('NO_ANSWER');
  });

  it('treats the response of a server that never advances N(R) as an acknowledgement, with a window of 1', () => {
    let state = connectedClient();
    for (let round = 0; round < 20; round++) {
      const sent = run(state, { type: 'send', apdu: Uint8Array.of(round) });
      expect(controls(sent)).toMatchObject([{ kind: 'i', sendSequence: round % 8 }]);
      const answered = run(
        sent.state,
        from('client', { kind: 'i', sendSequence: round % 8, receiveSequence: 0, ...POLL }, `E6E700C4${toHex(Uint8Array.of(round))}`),
      );
      expect(answered.received.map(toHex)).toEqual([`C4${toHex(Uint8Array.of(round))}`]);
      expect(answered.send).toEqual([]);
      ({ state } = answered);
    }
  });

  it('does not treat it as one while segments are queued, or when the response is a repetition', () => {
    const long = run(connectedClient(), { type: 'send', apdu: new Uint8Array(300) });
    const answer = (sendSequence: number) => from('client', { kind: 'i', sendSequence, receiveSequence: 0, ...POLL }, 'E6E700C4');
    expect(controls(run(long.state, answer(0)))).toMatchObject([{ kind: 'i', sendSequence: 0 }]);
    const short = run(connectedClient(), { type: 'send', apdu: Uint8Array.of(1) });
    expect(controls(run(short.state, answer(7)))).toMatchObject([{ kind: 'i', sendSequence: 0 }]);
  });

  it('ignores a frame that acknowledges unsent frames', () => {
    const step = stepLink(
      connectedClient(),
      from('client', { kind: 'i', sendSequence: 0, receiveSequence: 3, pollFinal: false }, 'E6E700C4'),
    );
    expect(step).toMatchObject({ received: [], state: { expected: 0, acknowledged: 0 } });
  });

  it('waits while the server is busy, and polls it', () => {
    const sent = stepLink(connectedClient(), { type: 'send', apdu: Uint8Array.of(0xc0) }).state;
    const busy = stepLink(sent, from('client', { kind: 'rnr', receiveSequence: 0, ...POLL }));
    expect(busy.send).toEqual([]);
    const asked = stepLink(busy.state, { type: 'timeout' });
    expect(controls(asked)).toEqual([{ kind: 'rr', receiveSequence: 0, pollFinal: true }]);
    const again = stepLink(asked.state, from('client', { kind: 'rr', receiveSequence: 0, ...POLL }));
    expect(controls(again)).toMatchObject([{ kind: 'i', sendSequence: 0 }]);
  });

  it('receives UI frames, and drops messages without an LLC header', () => {
    const heard = stepLink(connectedClient(), from('client', { kind: 'ui', pollFinal: false }, 'E6E7000F00'));
    expect(heard.announced.map(toHex)).toEqual(['0F00']);
    const dropped = stepLink(connectedClient(), from('client', { kind: 'i', sendSequence: 0, receiveSequence: 0, ...POLL }, 'C401'));
    expect(dropped.received).toEqual([]);
    expect(dropped.refused.map(toHex)).toEqual(['C401']);
  });

  it('disconnects, also when the server does not confirm', () => {
    const leaving = stepLink(connectedClient(), { type: 'disconnect' });
    expect(controls(leaving)).toEqual([{ kind: 'disc', pollFinal: true }]);
    expect(stepLink(leaving.state, UA).ended).toBe('CLOSED');
    expect(run(leaving.state, ...Array.from({ length: 4 }, (): LinkEvent => ({ type: 'timeout' }))).ended).toBe('CLOSED');
  });

  it('disconnects from a server whose message never ends', () => {
    const link = run(createLink({ ...own('client'), maxMessageSize: 4 }), { type: 'connect' }, UA).state;
    const part = from('client', { kind: 'i', sendSequence: 0, receiveSequence: 0, ...POLL }, 'E6E700C4', true);
    const more = from('client', { kind: 'i', sendSequence: 1, receiveSequence: 0, ...POLL }, 'C4', true);
    const leaving = run(link, part, more);
    expect(controls(leaving)).toEqual([{ kind: 'disc', pollFinal: true }]);
    expect(stepLink(leaving.state, UA).ended).toBe('MESSAGE_TOO_LONG');
  });
});

describe('a message in many small pieces', () => {
  it('takes constant time per segment, and is limited in size', () => {
    let state = connectedServer();
    const pieces = 60_000;
    for (let i = 0; i < pieces; i++) {
      const control = { kind: 'i', sendSequence: i % 8, receiveSequence: 0, pollFinal: false } as const;
      state = stepLink(state, from('server', control, '', true)).state;
    }
    expect(state.incoming?.size).toBe(pieces);
    const control = { kind: 'i', sendSequence: pieces % 8, receiveSequence: 0, pollFinal: true } as const;
    expect(stepLink(state, from('server', control, 'E6E600C001')).received.map(toHex)).toEqual(['C001']);
    expect(
      run(
        createLink({ ...own('server'), maxMessageSize: 1 }),
        SNRM,
        ...[0, 1].map((sendSequence) => from('server', { ...control, sendSequence }, '', true)),
      ).ended,
    ).toBe('MESSAGE_TOO_LONG');
  });

  it('is sent to a peer that accepts one octet at a time', () => {
    const parameters = toHex(encodeParameters({ ...DEFAULT_PARAMETERS, maxInformationReceive: 1 }));
    let step = run(createLink(own('client')), { type: 'connect' }, from('client', { kind: 'ua', ...POLL }, parameters), {
      type: 'send',
      apdu: new Uint8Array(20_000),
    });
    let frames = 0;
    for (; step.send.length > 0; frames++)
      step = stepLink(step.state, from('client', { kind: 'rr', receiveSequence: (frames + 1) % 8, ...POLL }));
    expect(frames).toBe(20_003);
  });
});

describe('a server', () => {
  const request = from('server', { kind: 'i', sendSequence: 0, receiveSequence: 0, ...POLL }, 'E6E600C001');

  it('responds to SNRM with the negotiated parameters, also when it is repeated', () => {
    const asked = from('server', { kind: 'snrm', ...POLL }, toHex(encodeParameters({ ...DEFAULT_PARAMETERS, windowTransmit: 5 })));
    const step = run(createLink(own('server', { windowReceive: 3 })), asked, asked);
    expect(controls(step)).toEqual([{ kind: 'ua', pollFinal: true }]);
    expect(step.state).toMatchObject({ phase: 'connected', limits: { windowReceive: 3 } });
  });

  it('responds DM before a connection', () => {
    for (const event of [request, from('server', { kind: 'rr', receiveSequence: 0, ...POLL }), from('server', { kind: 'disc', ...POLL })])
      expect(controls(stepLink(createLink(own('server')), event))).toEqual([{ kind: 'dm', pollFinal: true }]);
  });

  it('keeps the turn until the response is ready', () => {
    const asked = stepLink(connectedServer(), request);
    expect(asked.received.map(toHex)).toEqual(['C001']);
    expect(asked.send).toEqual([]);
    const answered = stepLink(asked.state, { type: 'send', apdu: fromHex('C401') });
    expect(controls(answered)).toEqual([{ kind: 'i', sendSequence: 0, receiveSequence: 1, pollFinal: true }]);
    expect(controls(stepLink(asked.state, { type: 'pass' }))).toEqual([{ kind: 'rr', receiveSequence: 1, pollFinal: true }]);
  });

  it('responds to a repeated request with the same response, and delivers it once', () => {
    const answered = run(connectedServer(), request, { type: 'send', apdu: fromHex('C401') });
    const again = stepLink(answered.state, request);
    expect(again.received).toEqual([]);
    expect(again.send.map(toHex)).toEqual(answered.send.map(toHex));
  });

  it('responds RR to a repeated request before the response is ready', () => {
    const again = run(connectedServer(), request, request);
    expect(again.received).toEqual([]);
    expect(controls(again)).toEqual([{ kind: 'rr', receiveSequence: 1, pollFinal: true }]);
    const late = stepLink(again.state, { type: 'send', apdu: fromHex('C401') });
    expect(late.send).toEqual([]);
    const polled = stepLink(late.state, from('server', { kind: 'rr', receiveSequence: 0, ...POLL }));
    expect(controls(polled)).toMatchObject([{ kind: 'i', sendSequence: 0 }]);
  });

  it('rejects a message that is too long', () => {
    const link = run(createLink({ ...own('server'), maxMessageSize: 4 }), SNRM).state;
    const step = stepLink(link, request);
    expect(controls(step)).toEqual([{ kind: 'frmr', pollFinal: true }]);
    expect(step.ended).toBe('MESSAGE_TOO_LONG');
  });

  it('ends the link when the client disconnects or is inactive for too long', () => {
    const left = stepLink(connectedServer(), from('server', { kind: 'disc', ...POLL }));
    expect(left.ended).toBe('PEER_LEFT');
    expect(controls(left)).toEqual([{ kind: 'ua', pollFinal: true }]);
    expect(stepLink(connectedServer(), { type: 'timeout' }).ended).toBe('INACTIVE');
  });

  it('ignores frames for other stations, and receives broadcasts', () => {
    const frame = { source: CLIENT, segmented: false, information: fromHex('E6E600C1') };
    const other: LinkEvent = { type: 'frame', frame: { ...frame, destination: serverAddress(1, 18), control: { kind: 'snrm', ...POLL } } };
    expect(stepLink(createLink(own('server')), other).send).toEqual([]);
    const toAll: LinkEvent = {
      type: 'frame',
      frame: { ...frame, destination: serverAddress(0x3fff, 0x3fff), control: { kind: 'ui', pollFinal: false } },
    };
    expect(stepLink(createLink(own('server')), toAll).announced.map(toHex)).toEqual(['C1']);
  });

  it('sends UI frames without a connection', () => {
    const [octets] = stepLink(createLink(own('server')), { type: 'announce', apdu: fromHex('0F00') }).send;
    expect(decodeHdlcFrame(octets ?? new Uint8Array())).toMatchObject({ control: { kind: 'ui' }, information: fromHex('E6E7000F00') });
  });
});

describe('two links over a line that loses, damages and repeats frames', () => {
  const message = fc.uint8Array({ minLength: 1, maxLength: 400 });
  const parameters = fc.record({
    maxInformationTransmit: fc.integer({ min: 16, max: 200 }),
    maxInformationReceive: fc.integer({ min: 16, max: 200 }),
    windowTransmit: fc.integer({ min: 1, max: 7 }),
    windowReceive: fc.integer({ min: 1, max: 7 }),
  });
  const fate = fc.constantFrom('arrives', 'arrives', 'arrives', 'lost', 'twice');
  const fates = fc.array(fate, { maxLength: 60 });

  /** Runs requests and responses over the link; `fateOf` decides the fate of frames until it is exhausted. */
  function converse(requests: Uint8Array[], ofClient: HdlcParameters, ofServer: HdlcParameters, fateOf: () => string) {
    const links = {
      client: createLink({ ...own('client', ofClient), retries: 100 }),
      server: createLink(own('server', ofServer)),
    };
    const heard: { client: string[]; server: string[] } = { client: [], server: [] };
    const line: { to: LinkRole; octets: Uint8Array }[] = [];
    const feed = (role: LinkRole, event: LinkEvent): void => {
      const step = stepLink(links[role], event);
      links[role] = step.state;
      expect(step.refused).toEqual([]);
      heard[role].push(...step.received.map(toHex));
      for (const octets of step.send) {
        const how = fateOf();
        for (let copy = how === 'lost' ? 0 : how === 'twice' ? 2 : 1; copy > 0; copy--)
          line.push({ to: role === 'client' ? 'server' : 'client', octets });
      }
      if (role === 'server') for (const apdu of step.received) feed('server', { type: 'send', apdu });
    };
    const settle = (isDone: () => boolean): void => {
      for (let steps = 0; !isDone(); steps++) {
        if (steps > 5000) throw new Error('the line is dead');
        const next = line.shift();
        if (next === undefined) feed('client', { type: 'timeout' });
        else feed(next.to, { type: 'frame', frame: decodeHdlcFrame(next.octets) });
      }
    };
    feed('client', { type: 'connect' });
    settle(() => links.client.phase === 'connected');
    for (const [i, apdu] of requests.entries()) {
      feed('client', { type: 'send', apdu });
      settle(() => heard.client.length > i);
    }
    feed('client', { type: 'disconnect' });
    settle(() => links.client.phase === 'disconnected');
    return heard;
  }

  it('deliver every message once, complete and in order, in both directions', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 5 }), parameters, parameters, fates, (requests, a, b, how) => {
        const left = [...how];
        const heard = converse(requests, a, b, () => left.shift() ?? 'arrives');
        const expected = requests.map(toHex);
        expect(heard).toEqual({ client: expected, server: expected });
      }),
      { numRuns: 500 },
    );
  });
});

it('the deframer accepts the frames of a link', () => {
  const [octets] = stepLink(createLink(own('client')), { type: 'connect' }).send;
  const frame = decodeHdlcFrame(octets ?? new Uint8Array());
  expect(toHex(encodeHdlcFrame(frame))).toBe(toHex(octets ?? new Uint8Array()));
});
