import {stat} from 'node:fs/promises';
import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {redactKnownLines} from '../../core/secrets/redact.ts';
import type {Tool} from '../../core/session/tool.ts';
import type {Places} from '../policy/protected-places.ts';
import {defineTool} from './define-tool.ts';
import {boundsOf, locate} from './files/bounds.ts';
import {findFiles} from './files/find-files.ts';
import {compileGlob} from './files/glob.ts';
import {pathText} from './files/path-text.ts';

const mostPaths = 1000;

export function createListFiles(places: Places): Tool {
	return defineTool({
		name: 'list_files',
		description:
			'List the files of the working folder or of a folder in it, one path a line, without what git ignores. ' +
			`At most ${mostPaths} paths; narrow it with path or pattern.`,
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

		async run({path = '.', pattern}, {workspace, signal}) {
			const bounds = await boundsOf(workspace, places);
			const folder = await locate(path || '.', bounds);
			if (!(await stat(folder.real)).isDirectory()) {
				throw new AppError('usage', `“${folder.shown}” is a file, not a folder.`, {hint: 'Read it with read_file.'});
			}

			const found = await findFiles(folder, bounds, signal);
			// Matched as they are shown: else a pattern would tell a name that is a credential, character by character.
			const paths = redactKnownLines(found.paths);
			const prefix = folder.shown === '.' ? '' : `${folder.shown}/`;
			const fits = pattern ? compileGlob(pattern) : () => true;
			// A pattern may be meant from the working folder or from the folder that is listed.
			const matching = paths.filter(file => fits(file) || fits(prefix + file)).map(file => prefix + file);
			return [
				...matching.slice(0, mostPaths).map(pathText),
				...remarks(matching.length, paths.length, pattern, found.complete),
			].join('\n');
		},
	});
}

function remarks(matching: number, all: number, pattern: string | undefined, complete: boolean): readonly string[] {
	const none = pattern ? `[none of ${all} files matches “${pattern}”]` : '[there are no files]';
	return [
		...(matching === 0 ? [none] : []),
		...(matching > mostPaths
			? [`[${matching - mostPaths} more of ${matching} files left out; narrow it with path or pattern]`]
			: []),
		...(complete ? [] : ['[there are too many files to look at all; give a path]']),
	];
}
