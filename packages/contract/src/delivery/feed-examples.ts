const pageOfOne = (item: object) => ({
  query: { after: 'eyJlIjoxfQ', limit: '100', wait: '30' },
  response: { items: [item], next: 'eyJlIjoxLCJpIjoiNDExIn0', hasMore: false },
});
const AT = '2026-11-26T00:20:11.120Z';

export const readingFeedExample = pageOfOne({
  id: '411-0',
  at: AT,
  revision: '411',
  meterId: '1001',
  meterSn: 'ZX10000001',
  profile: 'lpa',
  day: '2026-11-25',
  source: 'meter',
  readAt: '2026-11-26T00:20:11.000Z',
  traceId: null,
  slots: [{ ts: '2026-11-25T10:15:00.000Z', quality: 'read', statusWord: 0, values: { ePlus: 1838.101, pAvgPlus: 0.42 } }],
});

export const eventFeedExample = pageOfOne({
  id: '500-0',
  at: AT,
  eventId: '500123',
  deviceKind: 'meter',
  meterId: '1001',
  meterSn: 'ZX10000001',
  dcuId: '31',
  dcuSn: 'DCU0000031',
  log: 'fraud',
  code: 40,
  nameEn: 'Terminal Cover Removed',
  nameZh: '端钮盖打开',
  occurAt: '2026-11-26T07:41:00.000Z',
  receivedAt: '2026-11-26T07:41:06.000Z',
  direction: 'occur',
  abnormalLevel: 'serious',
  message: '',
  raw: '',
  source: 'push',
  traceId: null,
});

export const commandFeedExample = pageOfOne({
  id: '611-0',
  at: AT,
  revision: '611',
  itemId: '70001',
  taskId: '9001',
  kind: 'relay_disconnect',
  orderedById: '42',
  deviceKind: 'meter',
  dcuSn: 'DCU0000031',
  meterId: '1001',
  meterSn: 'ZX10000001',
  state: 'read_success',
  reasonCode: null,
  startedAt: '2026-11-26T09:00:02.000Z',
  finishedAt: '2026-11-26T09:00:05.000Z',
  result: {},
  traceId: null,
});

export const assetFeedExample = pageOfOne({
  id: '712-0',
  at: AT,
  revision: '712',
  kind: 'meter',
  assetId: '1001',
  isRemoved: false,
  number: 'ZX10000001',
  name: null,
  parentNumber: 'T-0012',
  dcuSn: 'DCU0000031',
  inventoryState: 'active',
  customerNo: 'C-20417',
  address: 'Harbour Street 4',
});
