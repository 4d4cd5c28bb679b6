/** Version of the promised API, by semver: a new operation or field raises the second number. It is not the version of the head-end. */
export const API_VERSION = '1.0.0';
/** Path below which the server has its routes. */
export const API_BASE = '/api';
/** Path below `/api` under which the promised routes are served. */
export const V1_PATH = '/v1';
