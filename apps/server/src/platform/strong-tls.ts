const TLS_13 = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];
const TLS_12 = ['AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-GCM-SHA256'].flatMap((suite) => [
  `ECDHE-ECDSA-${suite}`,
  `ECDHE-RSA-${suite}`,
]);

/** TLS 1.3, and the TLS 1.2 suites with forward secrecy and authenticated encryption; the order of the server applies. */
export const STRONG_TLS = { minVersion: 'TLSv1.2', ciphers: [...TLS_13, ...TLS_12].join(':'), honorCipherOrder: true } as const;
