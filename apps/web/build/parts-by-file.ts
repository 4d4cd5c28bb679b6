import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** The index file of each library in its ES module build, and the import path of each part. */
const LIBRARIES = {
  'lucide-react': {
    list: 'dist/esm/lucide-react.mjs',
    part: (file: string) => `lucide-react/icons/${file.replace(/^icons\/|\.mjs$/g, '')}`,
  },
  antd: { list: 'es/index.js', part: (file: string) => `antd/es/${file}/index.js` },
};

/** The import path of each part of a library, by all of its exported names. */
function partsOf(library: keyof typeof LIBRARIES): Map<string, string> {
  const { list, part } = LIBRARIES[library];
  const text = readFileSync(new URL(list, import.meta.resolve(`${library}/package.json`)), 'utf8');
  return new Map(
    [...text.matchAll(/^export \{([^}]*)\} from '\.\/([^']+)'/gm)].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, part(file)] as const),
    ),
  );
}

const imported = (library: keyof typeof LIBRARIES): ((code: string) => string) => {
  const parts = partsOf(library);
  return (code) =>
    code.replaceAll(new RegExp(`import \\{([^}]*)\\} from '${library}';`, 'g'), (_, names: string) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '))
        .map((name) => {
          const [part = '', local = part] = name.split(' as ');
          return `import ${local} from '${parts.get(part) ?? library}';`;
        })
        .join(''),
    );
};

/**
 * Imports icons and controls from their own files instead of the index, so that the bundler assigns them to the pages that use them and
 * reads half as many files.
 */
export function partsByFile(): Plugin {
  const rewrites = [imported('lucide-react'), imported('antd')];
  return {
    name: 'parts-by-file',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /apps[\\/]web[\\/]src[\\/].*\.tsx?$/, code: /'(?:antd|lucide-react)/ },
      handler: (code) => ({
        code: rewrites.reduce((text, rewrite) => rewrite(text), code).replaceAll("'antd/locale/", "'antd/es/locale/"),
        map: null,
      }),
    },
  };
}
