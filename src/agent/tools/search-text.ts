import {stat} from 'node:fs/promises';
import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {redactLoneLine} from '../../core/redact.ts';
import type {Tool} from '../../core/tool.ts';
import {type Bounds, boundsOf, locate} from './bounds.ts';
import {defineReadingTool, redactionNote} from './define-tool.ts';
import {pathText} from './path-text.ts';
import {plainSearch} from './plain-search.ts';
import type {Places} from './protected-places.ts';
import {findRipgrep, ripgrepSearch} from './ripgrep-search.ts';

/** One line that was found; `path` is relative to the working folder. */
export type Match = {readonly path: string; readonly line: number; readonly text: string};

export type Query = {
	readonly pattern: string;
	/** True where the pattern is the text itself. */
	readonly literal: boolean;
	readonly ignoreCase: boolean;
	readonly glob: string | undefined;
};

/** `complete` is false where not everything could be looked at. */
export type Found = {readonly matches: readonly Match[]; readonly complete: boolean};

const mostMatches = 200;

type Options = Places & {
	/** Gives the path of the ripgrep program, or undefined where it is not installed. */
	readonly ripgrep?: () => Promise<string | undefined>;
};

export function createSearchText({ripgrep = findRipgrep, ...places}: Options): Tool {
	return defineReadingTool({
		name: 'search_text',
		description:
			'Search the files of the working folder for a regular expression, without what git ignores. ' +
			`Gives path:line:text, at most ${mostMatches} lines.`,
		arguments: z.strictObject({
			pattern: z
				.string()
				.check(z.minLength(1), z.maxLength(1000), z.describe('Regular expression, matched line by line.')),
			path: z.optional(z.string().check(z.describe('File or folder to search, relative to the working folder.'))),
			glob: z.optional(z.string().check(z.maxLength(300), z.describe('Only files that match, for example *.ts.'))),
			literal: z.optional(z.boolean().check(z.describe('Take the pattern as plain text.'))),
			ignore_case: z.optional(z.boolean().check(z.describe('Let upper and lower case be the same.'))),
		}),

		async run({pattern, path, glob, literal = false, ignore_case: ignoreCase = false}, {workspace, signal}) {
			const bounds = await boundsOf(workspace, places);
			const target = await locate(path || '.', bounds);
			const stats = await stat(target.real);
			if (!stats.isFile() && !stats.isDirectory()) {
				throw new AppError('failed', `“${target.shown}” is neither a file nor a folder.`);
			}

			const query = {pattern, literal, ignoreCase, glob};
			const program = await ripgrep();
			const {matches, complete} = program
				? await ripgrepSearch(program, query, target, bounds, signal)
				: await plainSearch(query, target, bounds, signal);
			const visible = await withoutProtected(matches, bounds);
			const given = visible.slice(0, mostMatches);
			const texts = given.map(({text}) => redactLoneLine(text));
			const lines = given.map(({path, line}, index) => `${pathText(path)}:${line}:${texts[index]}`);
			const isRedacted = given.some(({text}, index) => text !== texts[index]);
			return [...lines, ...(isRedacted ? [redactionNote] : []), ...remarks(visible.length, complete)].join('\n');
		},
	});
}

/** Every file that a line came from is checked where it really is, as if it had been read (SAFETY 13). */
async function withoutProtected(matches: readonly Match[], bounds: Bounds): Promise<readonly Match[]> {
	const hidden = new Set<string>();
	const check = async (path: string) => {
		await locate(path, bounds).catch(() => hidden.add(path));
	};

	await Promise.all([...new Set(matches.map(({path}) => path))].map(check));
	return matches.filter(({path}) => !hidden.has(path));
}

function remarks(matches: number, complete: boolean): readonly string[] {
	return [
		...(matches === 0 ? ['[nothing was found]'] : []),
		...(matches > mostMatches
			? [`[${matches - mostMatches} more lines left out; narrow it with path, glob or pattern]`]
			: []),
		...(complete ? [] : ['[not everything could be searched; narrow it with path or glob]']),
	];
}
