export { defineExport } from './define-export.ts';
export { exportRoutes } from './routes.ts';
