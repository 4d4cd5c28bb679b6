export { defineExport, type ExportColumn } from './define-export.ts';
export { exportRoutes } from './routes.ts';
