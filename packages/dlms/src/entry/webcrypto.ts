/**
 * Decoders with the ciphers of a browser.
 * @module dlms/webcrypto
 */
export { withWebCrypto, type WebCrypto } from '../security/web-cipher.ts';
