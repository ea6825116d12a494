import {readdirSync, readFileSync} from 'node:fs';
import {posix} from 'node:path';

/** Where tests get their databases. */
const source = 'test/server/database/engine.ts';

const importPattern = /\bfrom '(\.[^']+)'/g;

/** The test files that open a database, by themselves or through what they import: each is to run on every engine. */
export function databaseTests(): readonly string[] {
	const importers = importersOf(
		readdirSync('test', {recursive: true, withFileTypes: true})
			.filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
			.map(entry => posix.join(entry.parentPath, entry.name)),
	);
	const found = new Set([source]);
	// What is added while the set is walked is walked, too.
	for (const file of found) {
		for (const importer of importers.get(file) ?? []) {
			found.add(importer);
		}
	}

	return [...found].filter(file => /\.test\.tsx?$/.test(file));
}

/** Which of these files import each of them. */
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
