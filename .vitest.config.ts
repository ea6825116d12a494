import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig} from 'vitest/config';
import {databaseTests} from './test/database-tests.ts';

/** Where others wait for the verdict it must depend on the change alone; at a desk the tests look for something new. */
const judged = Boolean(process.env['CI']);

const withDatabase = databaseTests();

/** What opens a database runs on each engine, in a project that is named after it; everything else runs once. */
export default defineConfig({
	test: {
		// Most tests wait for terminals, sockets and processes, so that two go together even on two cores.
		maxWorkers: Math.max(2, availableParallelism() - 1),
		// Terminals and clocks of a busy machine: what fails once is tried once more, what fails twice is broken.
		retry: judged ? 1 : 0,
		setupFiles: judged ? ['test/same-cases.ts'] : [],
		projects: [
			{extends: true, test: {name: 'service', exclude: [...configDefaults.exclude, ...withDatabase]}},
			{
				extends: true,
				test: {
					name: 'sqlite',
					include: [...withDatabase],
					exclude: ['**/postgres{,-*}.test.ts'],
					isolate: false,
					provide: {engine: 'sqlite'},
				},
			},
			{
				extends: true,
				test: {
					name: 'postgresql',
					include: [...withDatabase],
					exclude: ['**/sqlite{,-*}.test.ts'],
					isolate: false,
					provide: {engine: 'postgres'},
					globalSetup: ['test/postgres.ts'],
					setupFiles: ['test/needs-postgres.ts'],
				},
			},
		],
	},
});
