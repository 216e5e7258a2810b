import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['node_modules', 'src/lib/api/schema.d.ts', 'test-results', '.svelte-check', 'screenshots'] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    rules: {
      // The policy of the page forbids these; the second would also be a hole.
      // (style:name={…} is fine: it goes through the CSSOM.)
      'no-restricted-syntax': [
        'error',
        {
          selector: "SvelteAttribute[key.name='style']",
          message: 'The policy forbids style attributes: use a class or style:name={…}.',
        },
      ],
      'svelte/no-at-html-tags': 'error',
      'no-eval': 'error',
      // Our links are plain addresses; the router takes the click.
      'svelte/no-navigation-without-resolve': 'off',
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  {
    // A screen uses its own folder and the shared ones. What two screens need belongs into components or lib.
    files: ['src/screens/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^\\.\\./(?!\\.\\./)',
              message: "Don't import from another screen's folder: move it to components/ or lib/.",
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/{components,charts,lib}/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '/screens/', message: 'Shared code does not import from screens.' }] },
      ],
    },
  },
);
