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
  /** Loss in percent of the supply that is still normal, from the thresholds: lines and windings lose so much. */
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
 * Splits a loss by its evidence. Parts with evidence come first and take no more than the loss; of the rest, as much as is normal counts as
 * technical. The energy of unmetered devices is an estimate: as much as a customer of the transformer uses on average.
 */
export function splitLoss({ supplyKwh, lossKwh, unmeteredDevices, meanKwh, suspectedKwh, normalPercent }: KnownLoss): LossParts {
  let left = Math.max(0, lossKwh);
  const take = (kwh: number): number => {
    const taken = Math.min(left, Math.max(0, kwh));
    left -= taken;
    return taken;
  };
  return {
    suspectedKwh: take(suspectedKwh),
    unmeteredKwh: take(unmeteredDevices * (meanKwh ?? 0)),
    technicalKwh: take((supplyKwh * normalPercent) / 100),
    unexplainedKwh: left,
  };
}
