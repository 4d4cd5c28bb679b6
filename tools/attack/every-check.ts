import type { Check } from './check.ts';
import { databaseAttacks, rewritingAttacks } from './checks/database.ts';
import { fieldAttacks } from './checks/field.ts';
import { inputAttacks } from './checks/input.ts';
import { orderAttacks } from './checks/orders.ts';
import { rightsAttacks } from './checks/rights.ts';
import { signInAttacks } from './checks/sign-in.ts';
import { transportAttacks } from './checks/transport.ts';

/** Every finding of the review and every security check, in the order of execution on one product. */
export const EVERY_CHECK: readonly Check[] = [
  ...rightsAttacks,
  ...orderAttacks,
  ...fieldAttacks,
  ...databaseAttacks,
  ...inputAttacks,
  ...transportAttacks,
  ...signInAttacks,
  ...rewritingAttacks,
  {
    ids: ['F22'],
    title: 'a stolen master key or meter key is replaced',
    notChecked:
      'takes a restart with another key, the data folder and meters, not the network: apps/server/test/master-key-rotation.test.ts, apps/server/src/features/key-transfer/key-transfer.test.ts',
  },
  {
    ids: ['D23'],
    title: 'packages with advisories or without integrity',
    notChecked: 'npm audit asks a registry; `npm audit` before a release, decision 27',
  },
  {
    ids: ['D28'],
    title: 'a pair of key and invocation counter is used twice',
    notChecked: 'takes millions of round trips: `npm run simulate` counts them, and its mutants prove the detection',
  },
];
