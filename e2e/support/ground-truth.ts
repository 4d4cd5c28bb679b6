import { askControl, type HeadEnd } from './head-end.ts';

/** Ground truth from the control API of the simulator, without DLMS and head-end. Wh, W, VA, V, A. */
export interface RegisterTruth {
  ePlus: number;
  ePlusT: number[];
  eMinus: number;
  eMinusT: number[];
}

export interface InstantTruth extends RegisterTruth {
  u: number[];
  i: number[];
  pPlus: number;
  pf: number;
}

export interface SlotTruth {
  at: string;
  ePlus: number;
  eMinus: number;
  pAvgPlus: number;
  pAvgMinus: number;
  sAvgPlus: number;
  sAvgMinus: number;
}

interface SimulatedFleet {
  timeZone: string;
  meters: { sn: string; dcuSn: string; transformerCode: string; phase: string; isMaster: boolean; isGenerator: boolean }[];
  truth: { problems: Record<string, string[]> };
}

async function ask<T>(headEnd: HeadEnd, path: string, order: RequestInit = {}): Promise<T> {
  const answer = await askControl(headEnd, path, order);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T; // as: the types of the responses are declared above
}

export const readFleet = (headEnd: HeadEnd): Promise<SimulatedFleet> => ask(headEnd, '/world');

/** The present registers; after `holdTime` they equal those read from the meter to the last digit. */
export const registersOf = (headEnd: HeadEnd, sn: string): Promise<InstantTruth> => ask(headEnd, `/truth/meter/${sn}/registers`);

/** Holds or releases the time of the simulation. */
export const holdTime = (headEnd: HeadEnd, hold: boolean): Promise<unknown> =>
  ask(headEnd, '/clock', { method: 'POST', body: JSON.stringify({ hold }) });

export const dailyOf = (headEnd: HeadEnd, sn: string, date: string): Promise<RegisterTruth> =>
  ask(headEnd, `/truth/meter/${sn}/daily?date=${date}`);

/** Load profile A, every stamp from `fromMs` to `toMs`, both included. */
export async function loadProfileOf(headEnd: HeadEnd, sn: string, fromMs: number, toMs: number): Promise<SlotTruth[]> {
  const query = new URLSearchParams({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() });
  return (await ask<{ rows: SlotTruth[] }>(headEnd, `/truth/meter/${sn}/profile/lpa?${query}`)).rows;
}

/** Adds a fault for a device of the fleet until it is cleared. */
export const setFault = (headEnd: HeadEnd, fault: { target: string; kind: string; delayMs?: number }): Promise<unknown> =>
  ask(headEnd, '/fault', { method: 'POST', body: JSON.stringify(fault) });

export const clearFaults = (headEnd: HeadEnd, target: string): Promise<unknown> =>
  ask(headEnd, `/fault?${new URLSearchParams({ target })}`, { method: 'DELETE' });
