import {readdirSync, readFileSync} from 'node:fs';
import {posix} from 'node:path';

/** The module that opens databases for tests. */
const source = 'test/server/database/engine.ts';

const importPattern = /\bfrom '(\.[^']+)'/g;

/** Returns the test files that open a database, directly or through imports; they run on every engine. */
export function databaseTests(): readonly string[] {
	const importers = importersOf(
		readdirSync('test', {recursive: true, withFileTypes: true})
			.filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
			.map(entry => posix.join(entry.parentPath, entry.name)),
	);
	const found = new Set([source]);
	// Iterating over a set includes entries that are added meanwhile.
	for (const file of found) {
		for (const importer of importers.get(file) ?? []) {
			found.add(importer);
		}
	}

	return [...found].filter(file => /\.test\.tsx?$/.test(file));
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
