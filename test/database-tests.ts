import {readdirSync, readFileSync} from 'node:fs';
import {posix} from 'node:path';

/** The module that opens databases for tests. */
const source = 'test/server/database/engine.ts';

/**
 * Test files, and folders of them, that open a database for something else: requests, processes, files and models. What
 * they ask of it, tests of handlers, accounts and sessions ask on every engine, so that they run on SQLite alone.
 */
const oneEngine = [
	...['test/agent/', 'test/commands/', 'test/server/demo/', 'test/server/demo-model/', 'test/server/http/'],
	...['docker', 'kubernetes'].map(name => `test/server/sandboxes/${name}/`),
	...['client', 's3-blobs', 'transfer'].map(name => `test/server/artifacts/${name}`),
	// Most of its faults need no database.
	'test/faults/',
	'test/server/authorization-matrix',
	// Hashes without a database, and spans as the program sends them; what is done with spans, tests of ingest ask.
	...['test/server/accounts/password.test', 'test/server/kit/', 'test/telemetry/'],
	// Sandboxes; their credits and states are asked of every engine, and each of their operations by server-contract.
	...['environments.test', 'environments-logs', 'environments-stop', 'runtimes.test', 'runtimes-stop'].map(
		name => `test/server/handlers/${name}`,
	),
	...[
		'test/server/hostile-bodies',
		'test/server/hostile-http',
		'test/server/hostile-limits',
		'test/server/hostile-routes',
	],
	...['test/server/pages/login-pages', 'test/server/pages/page-safety', 'test/server/run/serve', 'test/server/tasks/'],
];

const importPattern = /\bfrom '(\.[^']+)'/g;

/** Returns the test files that run on every engine: they open a database, directly or through imports, and test what it does. */
export function databaseTests(): readonly string[] {
	const files = readdirSync('test', {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map(entry => posix.join(entry.parentPath, entry.name));
	const importers = importersOf(files);
	// A file of PostgreSQL alone may start one of its own.
	const found = new Set([source, ...files.filter(file => /\/postgres-[^/]*\.test\.ts$/.test(file))]);
	// Iterating over a set includes entries that are added meanwhile.
	for (const file of found) {
		for (const importer of importers.get(file) ?? []) {
			found.add(importer);
		}
	}

	return [...found].filter(file => /\.test\.tsx?$/.test(file) && !oneEngine.some(start => file.startsWith(start)));
}

/** Returns the files that import each of these files. */
function importersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
	const importers = new Map<string, string[]>();
	for (const file of files) {
		for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(importPattern)) {
			const path = posix.join(posix.dirname(file), target);
			importers.set(path, [...(importers.get(path) ?? []), file]);
		}
	}

	return importers;
}
