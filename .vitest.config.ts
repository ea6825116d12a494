import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig} from 'vitest/config';
import {BaseSequencer, ForksPoolWorker, type TestProject, type TestSpecification, type Vitest} from 'vitest/node';
import {databaseTests} from './test/database-tests.ts';

const withDatabase = databaseTests();

/** Tests that wait for terminals, sandboxes and servers, and the longest of the others. */
const waiting =
	/\/test\/(?:(?:e2e|faults|agent\/(?:mcp|sandbox|tools\/command)|server\/sandboxes|session|commands)\/|server\/authorization-matrix|client\/contract|logs\/burst|core\/mention)/;

/** Runs what waits first, so that the last files are short ones and no core waits for a long one. */
class WaitingFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({project, moduleId}: TestSpecification) =>
			project.name === 'service' ? (waiting.test(moduleId) ? 1 : 2) : 0;
		return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
	}
}

/** The largest heap, in bytes, with which a process runs another file. */
const maxHeapBytes = 160_000_000;

/**
 * Processes that run test files until their heap is large. Starting a child copies the page tables of its parent, which takes
 * 0.5 ms of a small process and 8 ms of one with 300 MB, and tests start tens of thousands; a collection takes longer, too.
 */
class SmallProcess extends ForksPoolWorker {
	override readonly name = 'small-process';
	readonly reportMemory = true;
	#heapBytes = 0;

	override async start() {
		await super.start();
		this.on('message', ({usedMemory}) => {
			this.#heapBytes = usedMemory ?? this.#heapBytes;
		});
	}

	canReuse() {
		return this.#heapBytes < maxHeapBytes;
	}
}

/**
 * `vitest some.test.ts:12` and editors ask where tests are while these are read, which needs source maps. Otherwise only the
 * positions of failures are mapped, afterwards.
 */
const sourcePositions = {
	name: 'source-positions',
	configureVitest({project, vitest}: {project: TestProject; vitest: Vitest}) {
		if (vitest.config.includeTaskLocation) {
			project.config.execArgv.push('--enable-source-maps');
		}
	},
};

const isShuffled = process.argv.some(argument => argument.startsWith('--sequence.shuffle'));

/**
 * Interpreted expressions go back at other places than compiled ones, and optimized ones at others than those that V8 no longer
 * optimizes because the process has much of such code. With these, `test/growth.ts` counts the same in every process. Set while
 * V8 runs, they end it now and then.
 */
const countable = ['--no-regexp-tier-up', '--no-regexp-optimization', '--allow-natives-syntax'];

/** What opens a database runs on SQLite, and again on PostgreSQL in a project of its own; everything else runs once. */
export default defineConfig({
	plugins: [sourcePositions],
	test: {
		// Program and tests are compiled before the run, and Node imports them itself. In watch mode, each change runs the files again.
		globalSetup: ['test/compile.ts'],
		runner: './test/runner.ts',
		forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/{src,commands,test,.scripts}/**'],
		// Half of the time, tests wait for terminals, sockets and processes, so that four go together even on two cores.
		maxWorkers: Math.max(4, availableParallelism()),
		...(!isShuffled && {sequence: {sequencer: WaitingFirst}}),
		// Collects garbage less often, and without threads that compete with the tests: a tenth less processor time.
		execArgv: ['--max-semi-space-size=32', '--single-threaded-gc', ...countable],
		// Ends what hangs, and nothing that is slow, however busy the machine is. The second is shorter: it says what did not happen.
		testTimeout: 900_000,
		hookTimeout: 900_000,
		expect: {poll: {timeout: 300_000}},
		// Modules are read once for all files that run in one process, which takes half the time. A hook at the top of a helper
		// would hold for the first of those files alone, so that helpers clean up with `onTestFinished`.
		isolate: false,
		pool: {name: 'small-process', createPoolWorker: options => new SmallProcess(options)},
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
