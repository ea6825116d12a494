import {lstat, stat} from 'node:fs/promises';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {cutText} from '../../core/cut-text.ts';
import {AppError} from '../../core/error.ts';
import {redactedSomewhere, redactKnown} from '../../core/secrets/redact.ts';
import {hasKnownSecret} from '../../core/secrets/secret-kinds.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {pathsText, pathText} from '../paths/path-text.ts';
import {type Bounds, boundsOf, hiddenBelow, type Located, locate} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {askForSecrets, withoutSecretFiles} from '../policy/secret-guard.ts';
import {runChild} from './child/run-child.ts';
import {defineTool, redactionNote} from './define-tool.ts';
import {readText} from './files/read-text.ts';
import {closedNote, deniedNote} from './list-files.ts';
import {
	coveredFiles,
	plainEngine,
	type Query,
	type Search,
	type SearchEngine,
	type SearchMatch,
	searchFiles,
} from './search-files.ts';
import description from './search-text.md';

const maxMatches = 200;
/** Longer lines are cut. */
const maxLineLength = 300;
/** Most names of skipped files in a result. */
const maxNamed = 5;

type Options = Places & {
	/** Returns the path of the ripgrep program, or undefined if it is not installed. */
	readonly ripgrep?: () => Promise<string | undefined>;
};

export function createSearchText({ripgrep = findRipgrep, ...places}: Options): Tool {
	return defineTool({
		name: 'search_text',
		description,
		readOnly: true,
		readOn: 'Narrow it with path, glob or pattern.',
		arguments: z.strictObject({
			pattern: z
				.string()
				.check(z.minLength(1), z.maxLength(1000), z.describe('Regular expression, matched line by line.')),
			path: z.optional(z.string().check(z.describe('File or folder to search, relative to the working folder.'))),
			glob: z.optional(z.string().check(z.maxLength(300), z.describe('Only files that match, for example *.ts.'))),
			literal: z.optional(z.boolean().check(z.describe('Search for the pattern as plain text.'))),
			ignore_case: z.optional(z.boolean().check(z.describe('Ignore case.'))),
		}),

		async run({pattern, path, glob, literal = false, ignore_case: ignoreCase = false}, context) {
			const {workspace, signal} = context;
			const bounds = await boundsOf(workspace, places);
			const target = await locate(path || '.', bounds);
			const stats = await stat(target.real);
			if (!stats.isFile() && !stats.isDirectory()) {
				throw new AppError('failed', `“${target.shown}” is neither a file nor a folder.`);
			}

			const search = {query: {pattern, literal, ignoreCase, glob}, target, bounds, signal};
			const program = await ripgrep();
			const engine = program ? ripgrepEngine(program, search) : plainEngine(search);
			return stats.isFile()
				? answer(await searchFile(target, engine, bounds, context), context)
				: searchFolder(engine, bounds, context);
		},
	});
}

/** Searches one file. The user is asked before a secret file is searched. */
function searchFile(
	{shown}: Located,
	{matching}: SearchEngine,
	bounds: Bounds,
	context: ToolContext,
): Promise<SearchMatch> {
	const {signal} = context;
	const read = async (path: string) => (await readText(path, bounds, signal, askForSecrets(context))).text;
	return searchFiles([shown], {matching, read, signal});
}

async function searchFolder(engine: SearchEngine, bounds: Bounds, context: ToolContext): Promise<string> {
	const {signal} = context;
	const {paths, all, closed, complete} = await engine.candidates();
	const unread = new Set(closed);
	const isDenied = (path: string) => bounds.denied?.by(join(bounds.workspace, path)) !== undefined;
	const read = async (path: string) => {
		const file = await readText(path, bounds, signal, withoutSecretFiles).catch((error: unknown) => {
			if (isClosed(error)) {
				unread.add(path);
			}
		});
		return file?.text;
	};
	// A glob must not reveal a name that is itself a credential.
	const searched = paths.filter(path => !isSecretFile(path) && !hasKnownSecret(path) && !isDenied(path)).sort();
	const found = await searchFiles(searched, {matching: engine.matching, read, signal});
	const skipped = all.filter(path => isSecretFile(path) && !hasKnownSecret(path) && !isDenied(path)).sort();
	const denied = all.filter(isDenied).length;
	const unnamed = searched.filter(path => path.includes('\uFFFD'));
	const shut = [...unread].filter(path => !isSecretFile(path) && !isDenied(path));
	return answer({...found, complete: found.complete && complete}, context, {skipped, denied, unnamed, closed: shut});
}

/** True for an error because the system doesn't open a file for the user. */
function isClosed(error: unknown): boolean {
	return error instanceof Error && ['EACCES', 'EPERM'].includes(errnoOf(error.cause) ?? '');
}

type LeftOut = {
	readonly skipped?: readonly string[];
	readonly denied?: number;
	/** Files whose names aren't UTF-8. */
	readonly unnamed?: readonly string[];
	readonly closed?: readonly string[];
};

function answer(
	{matches, complete}: SearchMatch,
	{onFacts}: ToolContext,
	{skipped = [], denied = 0, unnamed = [], closed = []}: LeftOut = {},
): string {
	const given = matches.slice(0, maxMatches);
	const lines = given.map(({path, line, text}) => `${pathText(redactKnown(path))}:${line}:${cut(text)}`);
	const more = matches.length - given.length;
	onFacts?.({matches: given.length, files: new Set(given.map(({path}) => path)).size, left: more});
	const remarks = [
		...(given.some(({isRedacted}) => isRedacted) ? [redactionNote] : []),
		...(matches.length === 0 ? ['[no matches]'] : []),
		...(more > 0 ? [`[${more} more lines left out; narrow it with path, glob or pattern]`] : []),
		...(complete ? [] : ['[the search is incomplete; narrow it with path or glob]']),
		...(skipped.length > 0 ? [skippedNote(skipped)] : []),
		...(unnamed.length > 0
			? [`[not searched, because names that aren't UTF-8 can't be opened: ${pathsText(unnamed, maxNamed)}]`]
			: []),
		...closedNote('searched', closed),
		...deniedNote(denied),
	];
	return [...lines, ...remarks].join('\n');
}

function cut(text: string): string {
	return text.length > maxLineLength ? `${cutText(text, maxLineLength)}…` : text;
}

function skippedNote(skipped: readonly string[]): string {
	const files =
		skipped.length === 1
			? '1 file whose name suggests secrets was'
			: `${skipped.length} files whose names suggest secrets were`;
	return `[${files} not searched: ${pathsText(skipped, maxNamed)}; to ask the user, give one as path]`;
}

/** Returns the path of the installed ripgrep; undefined if its package has none for this platform. */
export async function findRipgrep(): Promise<string | undefined> {
	try {
		return (await import('@vscode/ripgrep')).rgPath;
	} catch {
		return undefined;
	}
}

/** Encodings in which files are searched for what isn't ASCII, beside UTF-8. */
const legacyEncodings = ['gbk', 'euc-kr', 'big5', 'shift_jis', 'euc-jp', 'windows-1252'];

const timeoutMs = 20_000;
/** Most bytes of a list of files. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Searches with ripgrep, which matches in linear time. The engine throws `AppError("usage")` with ripgrep's own
 * explanation if the pattern or the glob is invalid.
 */
function ripgrepEngine(program: string, search: Search): SearchEngine {
	const ripgrep: Ripgrep = {program, cwd: search.bounds.workspace, signal: search.signal};
	const pattern = patternArgs(search.query);
	return {
		async candidates() {
			const covered = await coveredFiles(search);
			const files = (args: readonly string[]) =>
				listFiles(ripgrep, search, covered.byGit ? args : [...asWithoutGit, ...args]);
			// Other encodings have other bytes for what isn't ASCII. Lines are matched again once they are decoded.
			const encodings = /[^\0-\x7F]/.test(search.query.pattern) ? legacyEncodings : [];
			const [matching, masked, all, ...encoded] = await Promise.all([
				files(['--files-with-matches', '--crlf', ...pattern]),
				files(['--files-with-matches', '--text', ...redactedArgs]),
				files(['--files']),
				...encodings.map(encoding => files(['--files-with-matches', '--crlf', `--encoding=${encoding}`, ...pattern])),
			]);
			const others = await unknownFiles(covered.paths, all.paths, search.bounds.workspace);
			return {
				paths: [...new Set([matching, masked, ...encoded].flatMap(({paths}) => paths)), ...others],
				all: [...all.paths, ...others],
				closed: [covered, matching, masked, all].flatMap(each => each.closed),
				complete: [matching, masked, all, ...encoded].every(({complete}) => complete),
			};
		},
		async matching(lines, most) {
			const numbers = ['--line-number', '--no-heading', '--no-filename', '--max-columns=1', `--max-count=${most}`];
			const args = ['--text', ...numbers, ...pattern, '--', '-'];
			const {stdout} = await runRipgrep(ripgrep, args, `${lines.join('\n')}\n`);
			return [...stdout.matchAll(/^(\d+):/gm)].map(([, number]) => Number(number) - 1);
		},
	};
}

/** Lets ripgrep leave out what `walk` does, where git lists nothing. */
const asWithoutGit = ['--no-require-git', '--no-ignore-parent', '--glob=!node_modules'];

/**
 * Returns the files that ripgrep doesn't know, as those that git tracks although it ignores them: few, so that all are read. Links
 * don't count. git and the disk may spell one name in two ways.
 */
async function unknownFiles(covered: readonly string[], known: readonly string[], folder: string) {
	const spell = (path: string) => path.normalize('NFC').toLowerCase();
	const names = new Set(known.map(spell));
	const others = covered.filter(path => !names.has(spell(path)));
	const stats = await Promise.all(others.map(path => lstat(join(folder, path)).catch(() => undefined)));
	return others.filter((_, index) => stats[index]?.isFile());
}

/** Where and how ripgrep runs. */
type Ripgrep = {readonly program: string; readonly cwd: string; readonly signal: AbortSignal};

async function runRipgrep({program, cwd, signal}: Ripgrep, args: readonly string[], input?: string) {
	const result = await runChild({
		command: program,
		args: ['--no-config', '--color=never', ...args],
		cwd,
		signal,
		timeoutMs,
		maxBytes,
		...(input !== undefined && {input}),
	});
	const refused = result.stderr.replace(unopened, '').trim();
	if (result.status !== 0 && result.status !== 1 && !result.stdout && refused) {
		throw invalidSearch(refused);
	}

	return result;
}

/** What ripgrep says of a file or a folder that it can't open. */
const unopened = /^rg: (?:\.\/)*(.+): .*\(os error \d+\)\n/gm;

async function listFiles(ripgrep: Ripgrep, {query, target, bounds}: Search, args: readonly string[]) {
	const globs = [...(query.glob ? [`--glob=${query.glob}`] : []), ...hiddenGlobs(bounds)];
	const limits = ['--hidden', '--null', '--no-ignore-dot', '--max-filesize=16M'];
	const {stdout, stderr, omittedBytes} = await runRipgrep(ripgrep, [
		...limits,
		...globs,
		...args,
		'--',
		`./${target.shown}`,
	]);
	const closed = [...stderr.matchAll(unopened)].map(([, path = '']) => path);
	const paths = stdout.split('\0').map(path => path.replace(/^(?:\.\/)+/, ''));
	// If the list was cut, the last name of its head may be cut too; opening it fails.
	return {paths: paths.filter(Boolean), closed, complete: omittedBytes === 0};
}

function patternArgs({pattern, literal, ignoreCase}: Query): readonly string[] {
	return [...(literal ? ['--fixed-strings'] : []), ...(ignoreCase ? ['--ignore-case'] : []), `--regexp=${pattern}`];
}

/** Finds the files in which something is hidden from a model. */
const redactedArgs = redactedSomewhere.map(source => `--regexp=(?-u:${source})`);

function invalidSearch(stderr: string): AppError {
	// Behind that it advises flags, which a model can't pass.
	const [why = ''] = stderr.replace(/^rg: /, '').split('\n\nConsider ');
	return new AppError('usage', `Invalid search: ${why.trim().slice(0, 600)}`, {
		hint: why.includes('"\\n"')
			? 'Lines are matched one by one: search for a part of one line.'
			: 'Correct it, or set literal to true to search for the text itself.',
	});
}

/**
 * Returns globs that keep ripgrep from reading protected files. They come last, because the last matching glob decides.
 */
function hiddenGlobs(bounds: Bounds): readonly string[] {
	const places = hiddenBelow(bounds.workspace, bounds).map(place => place.replace(/[\\*?[\]{}!]/g, '\\$&'));
	return ['--iglob=!.git', ...places.map(place => `--glob=!/${place}`)];
}
