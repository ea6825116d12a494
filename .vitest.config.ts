import {readFileSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';
import {inkStandInFor, standInSources} from './.scripts/bundle-stand-ins.mjs';
import {databaseTests} from './test/database-tests.ts';

const withDatabase = databaseTests();

const drawnWith =
	/\/node_modules\/(?:ink|ink-text-input|ink-testing-library|cli-truncate|slice-ansi|widest-line|wrap-ansi)\//;

const root = process.cwd();
const packages: Readonly<Record<string, string>> = standInSources(root);

/** Component tests draw with the modules that ship: Ink and what it imports get the build's stand-ins. */
const shippedStandIns = {
	name: 'shipped-stand-ins',
	enforce: 'pre' as const,
	resolveId: (source: string, importer = '') =>
		packages[source] && importer.includes('/node_modules/') ? `\0${source}` : undefined,
	load(id: string) {
		const standIn = packages[id.slice(1)] ?? inkStandInFor(root, id);
		if (standIn) {
			return standIn;
		}

		// Their source maps name files that are not in the packages. With `?own`, a test gets the module that is replaced.
		return drawnWith.test(id)
			? readFileSync(id.replace(/\?own$/, ''), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
			: undefined;
	},
};

/** Markdown is text, as in the build. */
const markdownAsText = {
	name: 'markdown-as-text',
	load: (id: string) =>
		id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))};` : undefined,
};

/** Tests that wait for terminals, sandboxes and servers. */
const waiting = /\/test\/(?:e2e|agent\/(?:mcp|sandbox|tools\/command)|server\/sandboxes|session|commands)\//;

/** Runs what waits first, so that the last files are short ones and no core waits for a long one. */
class WaitingFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({project, moduleId}: TestSpecification) =>
			project.name === 'service' ? (waiting.test(moduleId) ? 1 : 2) : 0;
		return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
	}
}

const isShuffled = process.argv.some(argument => argument.startsWith('--sequence.shuffle'));

/** What opens a database runs on SQLite, and again on PostgreSQL in a project of its own; everything else runs once. */
export default defineConfig({
	plugins: [shippedStandIns, markdownAsText],
	oxc: {jsx: {runtime: 'automatic', development: false}},
	test: {
		server: {deps: {inline: [drawnWith]}},
		// Half of the time, tests wait for terminals, sockets and processes, so that four go together even on two cores.
		maxWorkers: Math.max(4, availableParallelism()),
		...(!isShuffled && {sequence: {sequencer: WaitingFirst}}),
		// Collects garbage less often, and without threads that compete with the tests: a tenth less processor time.
		execArgv: ['--max-semi-space-size=32', '--single-threaded-gc'],
		// Ends what hangs, however busy the machine is; no test measures by it.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		expect: {poll: {timeout: 30_000}},
		// Modules are read once for all files that run in one process, which takes half the time. A hook at the top of a helper
		// would hold for the first of those files alone, so that helpers clean up with `onTestFinished`.
		isolate: false,
		// A file is transformed once for all projects, and not again by the next run while it is unchanged.
		experimental: {fsModuleCache: true},
		// React as it ships. Ink looks for the others when it is loaded, and draws nothing if they are set.
		env: {NODE_ENV: 'production', CI: 'false', CONTINUOUS_INTEGRATION: 'false'},
		projects: [
			{
				extends: true,
				test: {
					name: 'service',
					exclude: [...configDefaults.exclude, 'test/**/postgres{,-*}.test.ts'],
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
