import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import type { DeviceFirmware } from '#devices/firmware.ts';
import { simulate } from '#devices/simulate.ts';

/** Image transfer by the image store of the protocol library, with the faults of the device. */
export const imageObject = simulate(imageTransfer, (firmware: DeviceFirmware) => {
  const { store } = firmware;
  return {
    read: {
      blockSize: () => store.blockSize,
      transferredBlocksStatus: () => store.bitmap,
      firstNotTransferredBlockNumber: () => store.firstMissing,
      transferEnabled: () => store.enabled,
      transferStatus: () => store.status,
      toActivateInfo: () => store.toActivate,
    },
    write: {
      blockSize: (octets) => store.resize(octets),
      transferEnabled: (enabled) => void (store.enabled = enabled),
    },
    invoke: {
      initiate: (argument) => store.initiate(argument),
      blockTransfer(argument) {
        firmware.octetsReceived += argument.block.length;
        return firmware.losesBlock() ? 'success' : store.put(argument);
      },
      verify: () => store.verify(),
      activate: () => activate(firmware),
    },
  };
});

/** Activates the image; scripts of a DCU do the same for its modules. */
export function activate(firmware: DeviceFirmware) {
  if (firmware.store.status !== 'verificationSuccessful') firmware.unverifiedOrders++;
  return firmware.store.activate();
}
