import { describe, expect, it } from 'vitest';
import { checkClassValue, type ClassValue } from '../../test/support/class-values.ts';
import { dbmOf } from './classes/gsm-diagnostic.ts';
import { fromHex } from '../codec/hex.ts';

const SIX_O_CLOCK = {
  year: 2026,
  month: 1,
  day: 1,
  dayOfWeek: null,
  hour: 6,
  minute: 0,
  second: 0,
  hundredths: 0,
  deviationMinutes: 0,
  status: 0,
};

/** Values as sent by devices: class and version, member, octets and decoded value. */
const VALUES: ClassValue[] = [
  ['6/0 maskList', '01010202 09025431 0102 1101 1102', [{ name: fromHex('5431'), registers: [1, 2] }]],
  ['6/0 registerAssignment', '0101 0202 120003 09060100010801FF', [{ classId: 3, instance: '1.0.1.8.1.255' }]],
  [
    '9/0 scripts',
    '0101 0202 120001 0101 0205 1602 120046 0906000060030AFF 0F01 0F00',
    [
      {
        id: 1,
        actions: [
          { service: 'executeMethod', classId: 70, instance: '0.0.96.3.10.255', index: 1, parameter: { type: 'integer', value: 0 } },
        ],
      },
    ],
  ],
  [
    '11/0 entries',
    '0101 0203 120001 0905FFFF0101FF 1102',
    [{ index: 1, date: { year: null, month: 1, day: 1, dayOfWeek: null }, dayId: 2 }],
  ],
  ['11/0 entries', '0101 0203 120001 1AFFFF0101FF 1102', [{ index: 1, date: { year: null, month: 1, day: 1, dayOfWeek: null }, dayId: 2 }]],
  ['18/0 transferredBlocksStatus', '0403E0', '111'],
  ['18/0 transferStatus', '1603', 'verificationSuccessful'],
  [
    '18/0 toActivateInfo',
    '0101 0203 06000003E8 09024657 0900',
    [{ size: 1000, identification: fromHex('4657'), signature: new Uint8Array(0) }],
  ],
  ['18/0 initiate', '0202 09024657 06000003E8', { identification: fromHex('4657'), size: 1000 }],
  [
    '20/0 dayProfileActive',
    '0101 0202 1101 0101 0203 090406000000 090600000A0064FF 120001',
    [{ id: 1, schedule: [{ startTime: { hour: 6, minute: 0, second: 0, hundredths: 0 }, script: '0.0.10.0.100.255', selector: 1 }] }],
  ],
  [
    '20/0 weekProfileActive',
    '0101 0208 090131 1101 1101 1101 1101 1101 1102 1103',
    [{ name: fromHex('31'), monday: 1, tuesday: 1, wednesday: 1, thursday: 1, friday: 1, saturday: 2, sunday: 3 }],
  ],
  [
    '21/0 actions',
    '0101 0202 0202 090600000A006AFF 120001 0202 090600000A006AFF 120002',
    [{ actionUp: { instance: '0.0.10.0.106.255', selector: 1 }, actionDown: { instance: '0.0.10.0.106.255', selector: 2 } }],
  ],
  [
    '22/0 executionTime',
    '0101 0202 0904000000FF 0905FFFFFF01FF',
    [{ time: { hour: 0, minute: 0, second: 0, hundredths: null }, date: { year: null, month: null, day: 1, dayOfWeek: null } }],
  ],
  ['23/1 communicationSpeed', '1605', '9600'],
  [
    '40/0 pushObjectList',
    '0101 0204 120028 09060007190900FF 0F02 120000',
    [{ classId: 40, instance: '0.7.25.9.0.255', attributeId: 2, dataIndex: 0 }],
  ],
  [
    '40/1 pushObjectList',
    '0101 0205 120007 09060100630100FF 0F02 120000 0202 1602 0202 0600000001 0600000004',
    [
      {
        classId: 7,
        instance: '1.0.99.1.0.255',
        attributeId: 2,
        dataIndex: 0,
        restriction: {
          type: 2,
          value: {
            type: 'structure',
            value: [
              { type: 'doubleLongUnsigned', value: 1 },
              { type: 'doubleLongUnsigned', value: 4 },
            ],
          },
        },
      },
    ],
  ],
  [
    '40/3 pushObjectList',
    '0101 0206 120007 09060100630100FF 0F02 120000 0202 1600 00 0101 0204 120008 09060000010000FF 0F02 120000',
    [
      {
        classId: 7,
        instance: '1.0.99.1.0.255',
        attributeId: 2,
        dataIndex: 0,
        restriction: { type: 0, value: { type: 'null' } },
        columns: [{ classId: 8, instance: '0.0.1.0.0.255', attributeId: 2, dataIndex: 0 }],
      },
    ],
  ],
  ['29/2 destinationList', '0101 0908 6865733A34303539', [fromHex('6865733A34303539')]],
  ['40/2 repetitionDelay', '0203 12000A 120064 1200FF', { min: 10, exponent: 100, max: 255 }],
  ['41/0 port', '120FDB', 4059],
  ['42/0 ipAddress', '060A000005', 0x0a000005],
  ['42/0 ipOptions', '0101 0203 1107 1103 0903070304', [{ type: 7, length: 3, data: fromHex('070304') }]],
  ['42/0 addMcIpAddress', '06E0000001', 0xe0000001],
  ['43/0 macAddress', '09060080E1FFFE01', fromHex('0080E1FFFE01')],
  [
    '44/0 pppAuthentication',
    '0202 0903646375 0903707764',
    {
      type: 'structure',
      value: [
        { type: 'octetString', value: fromHex('646375') },
        { type: 'octetString', value: fromHex('707764') },
      ],
    },
  ],
  ['45/0 apn', '09056964697331', fromHex('6964697331')],
  [
    '45/0 qualityOfService',
    '0202 0205 1100 1101 1102 1103 111F 0205 1104 1105 1106 1107 1108',
    {
      default: { precedence: 0, delay: 1, reliability: 2, peakThroughput: 3, meanThroughput: 31 },
      requested: { precedence: 4, delay: 5, reliability: 6, peakThroughput: 7, meanThroughput: 8 },
    },
  ],
  ['47/0 psStatus', '1604', 'hsdpa'],
  ['47/0 cellInfo', '0204 121234 120BB8 1114 1163', { cellId: 0x1234, locationId: 3000, signalQuality: 20, bitErrorRate: 99 }],
  ['47/0 adjacentCells', '0101 0202 124321 1109', [{ cellId: 0x4321, signalQuality: 9 }]],
  ['47/1 status', '1605', 'registeredRoaming'],
  ['47/1 psStatus', '1605', 'lte'],
  [
    '47/1 cellInfo',
    '0207 060ABCDEF1 120BB8 1114 1163 1201CC 120001 060000068B',
    {
      cellId: 0x0abcdef1,
      locationId: 3000,
      signalQuality: 20,
      bitErrorRate: 99,
      mobileCountryCode: 460,
      mobileNetworkCode: 1,
      channelNumber: 1675,
    },
  ],
  ['48/0 addressConfigMode', '1602', 'manual'],
  ['48/0 unicastIpv6Addresses', '0101 091020010DB8000000000000000000000001', [fromHex('20010DB8000000000000000000000001')]],
  ['48/0 neighbourDiscoverySetup', '0101 0203 1103 12000A 0600000258', [{ rsMaxRetry: 3, rsRetryWaitTime: 10, raSendPeriod: 600 }]],
  [
    '48/0 addIpv6Address',
    '0202 1602 0910FE800000000000000000000000000001',
    { type: 'gateway', address: fromHex('FE800000000000000000000000000001') },
  ],
  ['62/1 templateId', '1107', 7],
  [
    '71/0 emergencyProfile',
    '0203 120001 090C07EA0B150600000000000000 0600000E10',
    {
      id: 1,
      activationTime: {
        year: 2026,
        month: 11,
        day: 21,
        dayOfWeek: 6,
        hour: 0,
        minute: 0,
        second: 0,
        hundredths: 0,
        deviationMinutes: 0,
        status: 0,
      },
      duration: 3600,
    },
  ],
  ['71/0 monitoredValue', '0203 120003 09060100010700FF 0F02', { classId: 3, instance: '1.0.1.7.0.255', attributeId: 2 }],
  [
    '72/0 captureDefinition',
    '0101 0202 09020413 090113',
    [{ dataInformationBlock: fromHex('0413'), valueInformationBlock: fromHex('13') }],
  ],
  ['72/0 identificationNumber', '0612345678', 0x12345678],
  [
    '72/1 dataSend',
    '0101 0203 090101 09017A 1105',
    [{ dataInformationBlock: fromHex('01'), valueInformationBlock: fromHex('7A'), data: { type: 'unsigned', value: 5 } }],
  ],
  ['72/1 encryptionKeyStatus', '1604', 'keyInUse'],
  ['72/1 transferKey', '0910000102030405060708090A0B0C0D0E0F', fromHex('000102030405060708090A0B0C0D0E0F')],
  ['90/1 csmaFailCount', '0600000005', 5],
  [
    '91/1 neighbourTable',
    '0101 020B 120001 0301 040CFFF0 1602 0F00 1600 0404F0 11FA 0F00 1105 11FF',
    [
      {
        shortAddress: 1,
        payloadModulationScheme: true,
        toneMap: '111111111111',
        modulation: 2,
        txGain: 0,
        txResolution: 0,
        txCoefficients: '1111',
        lqi: 250,
        phaseDifferential: 0,
        tmrValidTime: 5,
        neighbourValidTime: 255,
      },
    ],
  ],
  ['91/3 posTable', '0101 0203 120002 1180 1105', [{ shortAddress: 2, lqi: 128, validTime: 5 }]],
  [
    '92/1 routingTable',
    '0101 0206 120003 120002 120010 1102 1100 12003C',
    [{ destinationAddress: 3, nextHopAddress: 2, routeCost: 16, hopCount: 2, weakLinkCount: 0, validTime: 60 }],
  ],
  ['123/0 retrieveEntries', '0203 1101 120001 120000', { arrayId: 1, from: 1, to: 0 }],
  [
    '123/0 arrayObjectList',
    '0101 0202 1101 0203 120001 09060000608001FF 0F02',
    [{ arrayId: 1, attribute: { classId: 1, instance: '0.0.96.128.1.255', attributeId: 2 } }],
  ],
  [
    '62/0 captureObjects',
    '0101 0204 120003 09060100010800FF 0F02 120000',
    [{ classId: 3, instance: '1.0.1.8.0.255', attributeId: 2, dataIndex: 0 }],
  ],
  // Octets from here on by gurux-dlms 1.0.203 for Python, from the values beside them.
  ['19/1 defaultMode', '1601', 'hdlc'],
  ['19/1 defaultBaud', '1605', '9600'],
  ['19/1 proposedBaud', '1600', '300'],
  ['19/1 responseTime', '1601', '200ms'],
  ['19/1 deviceAddress', '09053132333435', fromHex('3132333435')],
  ['19/1 passwordW5', '09027735', fromHex('7735')],
  ['25/0 defaultBaud', '1603', '2400'],
  ['25/0 availableBaud', '1605', '9600'],
  ['25/0 addressState', '1601', 'assigned'],
  ['25/0 busAddress', '1111', 17],
  ['27/1 communicationSpeed', '1605', '9600'],
  [
    '27/1 initializationString',
    '0101 0203 09024154 09024F4B 1201F4',
    [{ request: fromHex('4154'), response: fromHex('4F4B'), delayAfterResponse: 500 }],
  ],
  ['27/1 modemProfile', '0102 09024F4B 090442555359', [fromHex('4F4B'), fromHex('42555359')]],
  ['28/0 status', '1601', 'active'],
  [
    '28/2 listeningWindow',
    '0101 0202 090C07EA0101FF06000000000000 090C07EA0101FF08000000000000',
    [{ start: SIX_O_CLOCK, end: { ...SIX_O_CLOCK, hour: 8 } }],
  ],
  ['28/2 numberOfCalls', '1102', 2],
  ['28/2 numberOfRings', '0202 1101 1103', { inWindow: 1, outOfWindow: 3 }],
  [
    '65/0 changedParameter',
    '0204 120003 09060100010800FF 0F02 0500000005',
    { classId: 3, instance: '1.0.1.8.0.255', attributeId: 2, value: { type: 'doubleLong', value: 5 } },
  ],
  ['65/0 captureTime', '090C07EA0101FF06000000000000', SIX_O_CLOCK],
  ['65/0 parameterList', '0101 0203 120003 09060100010800FF 0F02', [{ classId: 3, instance: '1.0.1.8.0.255', attributeId: 2 }]],
  ['65/1 parameterListName', '0904 6D61696E', fromHex('6D61696E')],
  ['65/1 hashAlgorithmId', '1601', 1],
  ['65/1 parameterValueDigest', '0904 DEADBEEF', fromHex('DEADBEEF')],
  ['65/1 parameterValues', '0201 1105', { type: 'structure', value: [{ type: 'unsigned', value: 5 }] }],
  ['74/0 communicationSpeed', '1603', '2400'],
  ['122/0 activationStatus', '0101 0202 090470757368 0301', [{ name: fromHex('70757368'), enabled: true }]],
  [
    '122/0 functionList',
    '0101 0202 090470757368 0101 0202 120003 09060100010800FF',
    [{ name: fromHex('70757368'), objects: [{ classId: 3, instance: '1.0.1.8.0.255' }] }],
  ],
];

/** Values that are not re-encoded as they were read: a date under a date tag becomes an octet-string. */
const WRITTEN: Record<string, string> = {
  '0101 0203 120001 1AFFFF0101FF 1102': '0101 0203 120001 0905FFFF0101FF 1102',
};

describe('values of classes', () => {
  for (const [at, hex, value] of VALUES) {
    it(`${at} ${hex} reads and writes as it stands`, () => {
      checkClassValue(at, hex, value, WRITTEN[hex]);
    });
  }
});

it('signal quality of a modem is in steps of 2 dB above -113 dBm, and unknown above the highest step', () => {
  expect([0, 1, 15, 30, 31].map(dbmOf)).toEqual([-113, -111, -83, -53, -51]);
  expect([32, 99, 199, 255].map(dbmOf)).toEqual([null, null, null, null]);
});
