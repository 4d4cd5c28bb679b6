/** What is known about the energy of a transformer over its balanced days, in kWh. */
export interface KnownLoss {
  supplyKwh: number;
  /** Supply minus sold energy minus the estimate for meters without data; negative if more was sold than supplied. */
  lossKwh: number;
  /** Devices that draw energy and are not billed: found on the network without a record, or installed and not in service. */
  unmeteredDevices: number;
  /** Mean consumption of a customer with data over the same days; null: none has data. */
  meanKwh: number | null;
  /** Shortfall of meters whose consumption fell, stopped, or ran backwards. */
  suspectedKwh: number;
  /** Loss in percent of the supply that lines and windings always have, and the most that is still normal; from the thresholds. */
  usualPercent: number;
  normalPercent: number;
}

/** Parts of a loss in kWh; their sum is the loss, or zero if the loss is negative. */
export interface LossParts {
  unmeteredKwh: number;
  suspectedKwh: number;
  technicalKwh: number;
  /** What is left: no stored fact says where it is lost. */
  unexplainedKwh: number;
}

/**
 * Splits a loss by its evidence. As much as lines and windings always lose is technical, whatever else is found. Then follow parts with evidence,
 * which take no more than is left; of the rest, as much as is normal counts as technical. The energy of unmetered devices is an estimate: as much as a customer of the transformer uses on average.
 */
export function splitLoss({
  supplyKwh,
  lossKwh,
  unmeteredDevices,
  meanKwh,
  suspectedKwh,
  usualPercent,
  normalPercent,
}: KnownLoss): LossParts {
  let left = Math.max(0, lossKwh);
  const take = (kwh: number): number => {
    const taken = Math.min(left, Math.max(0, kwh));
    left -= taken;
    return taken;
  };
  const usualKwh = take((supplyKwh * usualPercent) / 100);
  const evident = { suspectedKwh: take(suspectedKwh), unmeteredKwh: take(unmeteredDevices * (meanKwh ?? 0)) };
  const technicalKwh = usualKwh + take((supplyKwh * (normalPercent - usualPercent)) / 100);
  return { ...evident, technicalKwh, unexplainedKwh: left };
}
