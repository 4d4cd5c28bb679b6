import * as shapes from '../../../dlms-node/src/cli/apdu-shape.ts';
import { dataShape as shapeOfData, jsonLine } from '../../../dlms-node/src/cli/data-shape.ts';
import { messageShape } from '../../../dlms-node/src/cli/decode-json.ts';
import type { Data } from '../../src/cosem/data-value.ts';

/** As parsed from the JSON of the command line, without 64-bit numbers. */
const asJson = (shape: unknown): unknown => JSON.parse(jsonLine(shape));

/** Data in the shape of the vectors. */
export const dataShape = (data: Data): unknown => asJson(shapeOfData(data));

/** An APDU in the shape of the vectors. */
export const apduShape = (octets: Uint8Array, open: shapes.Open): unknown => asJson(shapes.apduShape(octets, open));

/** A date-time in the shape of the vectors. */
export const dateTimeShape = (octets: Uint8Array): unknown => asJson(messageShape('datetime', octets, () => undefined));
