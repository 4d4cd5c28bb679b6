import { describe, it } from 'vitest';
import { checkClassValue, type ClassValue } from '../../test/support/class-values.ts';
import { fromHex } from '../codec/hex.ts';

const CREDIT = '0.0.19.10.0.255';
const CHARGE = '0.0.19.20.0.255';

/** Octets by gurux-dlms 1.0.203 for Python, from the values beside them. */
const BY_GURUX: ClassValue[] = [
  ['111/0 accountModeAndStatus', '0202 1602 1602', { paymentMode: 'prepayment', accountStatus: 'active' }],
  ['111/0 currentCreditInUse', '1101', 1],
  ['111/0 currentCreditStatus', '0408A0', '10100000'],
  ['111/0 availableCredit', '0500003039', 12_345],
  ['111/0 amountToClear', '05FFFFFFCE', -50],
  ['111/0 creditReferenceList', '0101 09060000130A00FF', [CREDIT]],
  ['111/0 chargeReferenceList', '0101 09060000131400FF', [CHARGE]],
  [
    '111/0 creditChargeConfiguration',
    '0101 0203 09060000130A00FF 09060000131400FF 040880',
    [{ credit: CREDIT, charge: CHARGE, collection: '10000000' }],
  ],
  ['111/0 tokenGatewayConfiguration', '0101 0202 09060000130A00FF 113C', [{ credit: CREDIT, tokenProportion: 60 }]],
  ['111/0 currency', '0203 0C03455552 0FFE 1602', { name: 'EUR', scale: -2, unit: 'monetary' }],
  ['111/0 maxProvision', '1201F4', 500],
  ['111/0 maxProvisionPeriod', '0500015180', 86_400],
  ['112/0 currentCreditAmount', '05FFFFFFF9', -7],
  ['112/0 creditType', '1602', 'emergency'],
  ['112/0 priority', '1101', 1],
  ['112/0 creditConfiguration', '040848', '01001000'],
  ['112/0 creditStatus', '1603', 'inUse'],
  ['112/0 setAmountToValue', '0500000064', 100],
  ['113/0 chargeType', '1601', 'timeBased'],
  [
    '113/0 unitChargeActive',
    '0203 0202 0F03 0FFE 0203 120003 09060100010800FF 0F02 0101 0202 090131 100019',
    {
      scaling: { commodityScale: 3, priceScale: -2 },
      commodity: { classId: 3, instance: '1.0.1.8.0.255', attributeId: 2 },
      table: [{ index: fromHex('31'), chargePerUnit: 25 }],
    },
  ],
  ['113/0 period', '0600000E10', 3600],
  ['113/0 chargeConfiguration', '040840', '01000000'],
  ['113/0 proportion', '1203E8', 1000],
  ['115/0 tokenDescription', '0101 090178', [fromHex('78')]],
  ['115/0 tokenDeliveryMethod', '1600', 'remote'],
  ['115/0 tokenStatus', '0202 1603 0404A0', { status: 'executionOk', data: '1010' }],
];

/** Assembled by hand from the types of the class. */
const BY_HAND: ClassValue[] = [
  ['111/0 activateAccount', '0F00', 0],
  ['115/0 enter', '0903010203', fromHex('010203')],
  ['116/0 commodity', '0A0B 656C6563747269636974 79', 'electricity'],
  ['116/0 tokenCarrierTypes', '0102 1100 1101', [0, 1]],
  ['116/0 supplyGroupCode', '060001E240', 123_456],
  ['116/0 stsCertificateNumber', '0A023132', '12'],
];

describe('values of payment classes', () => {
  it.each([...BY_GURUX, ...BY_HAND])('%s %s reads and writes as it stands', (at, hex, value) => {
    checkClassValue(at, hex, value);
  });
});
