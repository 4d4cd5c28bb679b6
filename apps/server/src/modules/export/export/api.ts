export { defineExport, YES_NO, type ExportColumn } from './define-export.ts';
export { exportRoutes } from './routes.ts';
