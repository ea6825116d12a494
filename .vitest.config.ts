import {readFileSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig} from 'vitest/config';
import {standInSources} from './.scripts/bundle-stand-ins.mjs';
import {databaseTests} from './test/database-tests.ts';

const withDatabase = databaseTests();

const drawnWith =
	/\/node_modules\/(?:ink|ink-text-input|ink-testing-library|cli-truncate|slice-ansi|widest-line|wrap-ansi)\//;

/** Component tests draw with the width module that ships: Ink and what it imports get it instead of string-width. */
const shippedWidth = {
	name: 'shipped-width',
	enforce: 'pre' as const,
	resolveId: (source: string, importer = '') =>
		source === 'string-width' && importer.includes('/node_modules/') ? '\0shipped-width' : undefined,
	load(id: string) {
		if (id === '\0shipped-width') {
			return standInSources(process.cwd())['string-width'];
		}

		// Their source maps name files that are not in the packages.
		return drawnWith.test(id) ? readFileSync(id, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '') : undefined;
	},
};

/** Markdown is text, as in the build. */
const markdownAsText = {
	name: 'markdown-as-text',
	load: (id: string) =>
		id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))};` : undefined,
};

/** What opens a database runs on each engine, in a project that is named after it; everything else runs once. */
export default defineConfig({
	plugins: [shippedWidth, markdownAsText],
	oxc: {jsx: {runtime: 'automatic', development: false}},
	test: {
		server: {deps: {inline: [drawnWith]}},
		// Most tests wait for terminals, sockets and processes, so that three go together even on two cores.
		maxWorkers: Math.max(3, availableParallelism()),
		// Ends what hangs, however busy the machine is; no test measures by it.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		expect: {poll: {timeout: 30_000}},
		// Modules are read once for all files that run in one process, which takes half the time. A hook at the top of a helper
		// would hold for the first of those files alone, so that helpers clean up with `onTestFinished`.
		isolate: false,
		// React as it ships. Ink looks for the others when it is loaded, and draws nothing if they are set.
		env: {NODE_ENV: 'production', CI: 'false', CONTINUOUS_INTEGRATION: 'false'},
		projects: [
			{extends: true, test: {name: 'service', exclude: [...configDefaults.exclude, ...withDatabase]}},
			{
				extends: true,
				test: {
					name: 'sqlite',
					include: [...withDatabase],
					exclude: ['**/postgres{,-*}.test.ts'],
					provide: {engine: 'sqlite'},
				},
			},
			{
				extends: true,
				test: {
					name: 'postgresql',
					include: [...withDatabase],
					exclude: ['**/sqlite{,-*}.test.ts'],
					provide: {engine: 'postgres'},
					globalSetup: ['test/postgres.ts'],
					setupFiles: ['test/needs-postgres.ts'],
				},
			},
		],
	},
});
