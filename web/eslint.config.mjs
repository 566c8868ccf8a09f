// Enforces the import direction shared → api → features → app, no cycles, kebab-case file names,
// and atoms only in *-atoms.ts.
import { basename } from 'node:path';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { stripeSatisfiesRule } from './scripts/stripe-satisfies.mjs';

const forbiddenImports = (target, ...from) => ({
  target: `./src/${target}`,
  from: from.map((name) => `./src/${name}`),
});
const AUDIENCES = ['buyer', 'board', 'club', 'operator'];

/** File names are lower-case words joined by hyphens, so that imports work on every file system. */
const kebabCaseRule = {
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename);
      if (!/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(name))
        context.report({ node, message: `file name "${name}" is not kebab-case` });
    },
  }),
};

export default tseslint.config(
  {
    ignores: [
      'dist',
      'src/api/generated',
      '.parcel-cache',
      'test-results',
      'playwright-report',
      'e2e/__screenshots__',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx,mts,mjs}'],
    plugins: {
      'import-x': importX,
      'react-hooks': reactHooks,
      project: { rules: { 'kebab-case': kebabCaseRule, 'stripe-satisfies': stripeSatisfiesRule } },
    },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: './tsconfig.json' })],
    },
    rules: {
      'project/kebab-case': 'error',
      'project/stripe-satisfies': 'error',
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'import-x/no-cycle': 'error',
      'import-x/no-default-export': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'import-x/no-restricted-paths': [
        'error',
        {
          basePath: import.meta.dirname,
          zones: [
            forbiddenImports('shared', 'api', 'features', 'app'),
            forbiddenImports('api', 'features', 'app'),
            forbiddenImports('features', 'app'),
            ...AUDIENCES.map((audience) =>
              forbiddenImports(
                `features/${audience}`,
                ...AUDIENCES.filter((other) => other !== audience).map(
                  (other) => `features/${other}`,
                ),
              ),
            ),
            forbiddenImports(
              'features/shared-live',
              ...AUDIENCES.map((audience) => `features/${audience}`),
            ),
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/**/*-atoms.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'jotai', importNames: ['atom'], message: 'atoms live in *-atoms.ts' },
            {
              name: 'jotai/utils',
              importNames: ['atomWithStorage', 'atomFamily', 'selectAtom'],
              message: 'atoms live in *-atoms.ts',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['*.{mjs,mts,ts}', 'scripts/**'],
    rules: { 'import-x/no-default-export': 'off', 'no-console': 'off' },
  },
);
