import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = `http://127.0.0.1:${process.env['HES_PORT'] ?? '8080'}`;

export default defineConfig({
  base: '/hes/',
  plugins: [react()],
  server: { proxy: { '/api': { target: server, ws: true } } },
  preview: { proxy: { '/api': { target: server, ws: true } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|react-router|scheduler|@tanstack|zustand)[\\/]/, priority: 3 },
            { name: 'antd', test: /node_modules[\\/](?:antd|@ant-design|@rc-component|dayjs)[\\/]/, priority: 2 },
          ],
        },
      },
    },
  },
});
