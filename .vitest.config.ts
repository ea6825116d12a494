import {availableParallelism} from 'node:os';
import {defineConfig} from 'vitest/config';

/** Where others wait for the verdict it must depend on the change alone; at a desk the tests look for something new. */
const judged = Boolean(process.env['CI']);

export default defineConfig({
	test: {
		globalSetup: ['test/postgres.ts'],
		...(judged && {setupFiles: ['test/same-cases.ts']}),
		// Most tests wait for terminals, sockets and processes, so that two go together even on two cores.
		maxWorkers: Math.max(2, availableParallelism() - 1),
		// Terminals and clocks of a busy machine: what fails once is tried once more, what fails twice is broken.
		retry: judged ? 1 : 0,
	},
});
