import {stat} from 'node:fs/promises';
import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {redactKnownLines} from '../../core/secrets/redact.ts';
import {hasKnownSecret} from '../../core/secrets/secret-kinds.ts';
import type {Tool} from '../../core/session/tool.ts';
import {compileGlob} from '../paths/glob.ts';
import {pathsText, pathText} from '../paths/path-text.ts';
import {boundsOf, locate} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {defineTool} from './define-tool.ts';
import {findFiles} from './files/find-files.ts';
import description from './list-files.md';

const maxPaths = 1000;

export function createListFiles(places: Places): Tool {
	return defineTool({
		name: 'list_files',
		description,
		readOnly: true,
		readOn: 'Narrow it with path or pattern.',
		arguments: z.strictObject({
			path: z.optional(
				z.string().check(z.describe('Folder to list, relative to the working folder; all of it by default.')),
			),
			pattern: z.optional(
				z.string().check(z.maxLength(300), z.describe('Only files that match, for example *.ts or src/**/*.{ts,tsx}.')),
			),
		}),

		async run({path = '.', pattern}, {workspace, signal, onFacts}) {
			const bounds = await boundsOf(workspace, places);
			const folder = await locate(path || '.', bounds);
			if (!(await stat(folder.real)).isDirectory()) {
				throw new AppError('usage', `“${folder.shown}” is a file, not a folder.`, {hint: 'Read it with read_file.'});
			}

			const found = await findFiles(folder, bounds, signal);
			// Matched as they are shown: a pattern must not reveal a name that is a credential, character by character.
			const paths = redactKnownLines(found.paths);
			const prefix = folder.shown === '.' ? '' : `${folder.shown}/`;
			const isMatch = pattern ? compileGlob(pattern) : () => true;
			// A pattern may be relative to the working folder or to the listed one.
			const matching = paths.filter(file => isMatch(file) || isMatch(prefix + file)).map(file => prefix + file);
			const files = Math.min(matching.length, maxPaths);
			onFacts?.({files, left: matching.length - files + found.denied});
			return [
				...matching.slice(0, maxPaths).map(pathText),
				...remarks(matching.length, paths.length, pattern, found.complete),
				...closedNote(
					'listed',
					found.closed.map(path => prefix + path),
				),
				...deniedNote(found.denied),
			].join('\n');
		},
	});
}

const maxNamed = 5;

/** Returns the line about files and folders of which the system says that the user may not open them. */
export function closedNote(done: 'listed' | 'searched', closed: readonly string[]): readonly string[] {
	const names = [
		...new Set(closed.filter(path => !hasKnownSecret(path)).map(path => path.replace(/\/$/, '') || '.')),
	].sort();
	const what = names.length === 1 ? "it can't" : "they can't";
	return names.length > 0 ? [`[not ${done}, because ${what} be opened: ${pathsText(names, maxNamed)}]`] : [];
}

/** Returns the line about files that rules deny, without their names. */
export function deniedNote(count: number): readonly string[] {
	return count > 0 ? [`[${count} left out: the user's rules deny reading]`] : [];
}

function remarks(matching: number, all: number, pattern: string | undefined, complete: boolean): readonly string[] {
	const none = pattern ? `[none of ${all} files matches “${pattern}”]` : '[no files]';
	return [
		...(matching === 0 ? [none] : []),
		...(matching > maxPaths
			? [`[${matching - maxPaths} more of ${matching} files left out; narrow it with path or pattern]`]
			: []),
		...(complete ? [] : ['[too many files to list them all; give a path]']),
	];
}
