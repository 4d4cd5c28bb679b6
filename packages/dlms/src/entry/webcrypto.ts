/** `dlms/webcrypto`: decoders with the cipher of a browser. */
export { withWebCrypto, type WebCrypto } from '../security/web-cipher.ts';
