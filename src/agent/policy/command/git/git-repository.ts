import {readdir, readFile, realpath} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {AppError} from '../../../../core/error.ts';
import {askTimeoutMs} from '../../../obeyed/git-orders.ts';
import {linkedGit} from '../../../obeyed/git-places.ts';
import {exists} from '../../../paths/existing.ts';
import {runChild} from '../../../tools/child/run-child.ts';
import type {Bounds} from '../../bounds.ts';
import {isSecretFile} from '../../secret-files.ts';
import type {Arguments} from '../options.ts';
import {isInside} from '../paths.ts';
import {checkEnvironment} from './git-environment.ts';

const maxListBytes = 20_000_000;

/** Settings of a repository that can't start a program when git only reads. Any other makes git ask. */
const harmless = new RegExp(
	`^(?:${[
		'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|sparsecheckout(?:cone)?)',
		'core\\.(?:safecrlf|quotepath|abbrev|longpaths|untrackedcache|preloadindex|commitgraph|hookspath|editor|sshcommand|whitespace)',
		'(?:user|author|committer)\\.(?:name|email|signingkey)',
		'remote\\..*\\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|gh-resolved|skipdefaultupdate)',
		'branch\\..*\\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)',
		'branch\\.(?:autosetuprebase|autosetupmerge|sort)',
		'(?:pull|push|fetch|rebase|merge|rerere|gc|maintenance|advice|color|column|status|init|commit|tag|feature|index|pack)\\..*',
		'diff\\.(?:renames|renamelimit|algorithm|colormoved|mnemonicprefix|noprefix|context|wserrorhighlight|statgraphwidth)',
		'log\\.(?:date|decorate|abbrevcommit|follow)',
		'extensions\\.(?:worktreeconfig|objectformat|refstorage|relativeworktrees)',
		'submodule\\..*\\.(?:url|active|branch)|submodule\\.active',
		'alias\\..*|credential\\..*|http\\..*|url\\..*|i18n\\..*|lfs\\..*|receive\\..*|transfer\\..*|gui\\..*',
	].join('|')})$`,
	'i',
);

export type Repository = {
	readonly top: string;
	/** The working folder, a real path: git is never a program of it. */
	readonly workspace: string;
	/** What rules deny to be read. */
	readonly denied: Bounds['denied'];
	/** Addresses of its remotes. */
	readonly addresses: readonly string[];
};

/**
 * Returns the repository that git would use in a folder. Returns a string, a clause that says why git may not run there
 * unasked, if it is outside the working folder or its own settings or hooks could start a program.
 */
export async function findRepository(
	folder: string,
	{workspace, denied}: Pick<Bounds, 'workspace' | 'denied'>,
): Promise<Repository | string> {
	const asked = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--git-path', 'objects'];
	const [about, settings] = await Promise.all([
		git({folder, workspace}, ['rev-parse', ...asked, '--git-path', 'hooks/post-index-change']),
		git({folder, workspace}, ['config', '--list', '--null', '--show-scope']),
	]);
	const [top = '', own = '', common = '', objects = '', hook = ''] = about?.split('\n') ?? [];
	if (settings === undefined || !isInside(top, workspace)) {
		return 'uses a repository that is not in the working folder';
	}

	const data = {git: own, common: resolve(folder, common), objects: resolve(folder, objects)};
	const elsewhere = await whyNotData(data, top, workspace);
	if (elsewhere !== undefined) {
		return elsewhere;
	}

	const local = readSettings(settings).filter(({scope}) => scope === 'local' || scope === 'worktree');
	const risky = local.find(({name}) => !harmless.test(name));
	if (risky) {
		return `runs in a repository with the setting “${risky.name}”`;
	}

	const addresses = local.filter(({name}) => /^remote\..*url$/i.test(name)).map(({value}) => value);
	return (await exists(resolve(folder, hook)))
		? 'runs in a repository with the hook post-index-change'
		: {top, workspace, denied, addresses};
}

/** Returns why files of the working tree may not be compared unasked, as a clause. */
export async function whyNotCompared({top, workspace}: Repository): Promise<string | undefined> {
	const files = await list({folder: top, workspace}, ['ls-files', '--stage', '-z']);
	return files?.every(line => !line.startsWith('160000 '))
		? undefined
		: 'looks into submodules, whose settings could start a program';
}

/** Returns why tracked files may not be printed unasked, as a clause. */
export async function whyNotPrinted(repository: Repository): Promise<string | undefined> {
	const {top, workspace} = repository;
	return whyNotNames(await list({folder: top, workspace}, ['ls-files', '-z']), repository);
}

/** Returns why the files of a `git diff` may not be printed unasked, as a clause. `args` are its revisions and paths. */
export async function whyNotDiffed(
	repository: Repository,
	folder: string,
	args: readonly string[],
): Promise<string | undefined> {
	const {workspace} = repository;
	const names = await list({folder, workspace}, ['diff', '--name-only', '--no-renames', '-z', ...args]);
	// Named by its hash alone, a file may be any.
	return whyNotNames(names?.every(name => !/^[0-9a-f]{4,64}$/.test(name)) ? names : undefined, repository);
}

/** Returns why the commits that `git log`, `git show` or `git stash` prints may not be shown unasked, as a clause. */
export async function whyNotShown(
	repository: Repository,
	folder: string,
	command: string,
	read: Arguments,
): Promise<string | undefined> {
	const {workspace} = repository;
	const verbs = command === 'stash' ? read.words.slice(0, 1) : [];
	const listed = await git({folder, workspace}, namesOnly(command, read, verbs));
	// Marks of merges and the like stand before a name.
	return whyNotNames(
		listed?.split(/[\0\n]/).map(name => name.trim()),
		repository,
	);
}

/** Returns why what revisions name may not be printed unasked, as a clause: a file by its hash, or the files of a commit. */
export async function whyNotRevisions(
	repository: Repository,
	folder: string,
	operands: readonly string[],
	searches: boolean,
): Promise<string | undefined> {
	const {workspace} = repository;
	for (const operand of operands.filter(each => !each.includes(':') && !each.startsWith('-'))) {
		const kind = (await git({folder, workspace}, ['cat-file', '-t', operand]))?.trim();
		if (kind === 'blob') {
			return 'prints a file by its hash';
		}

		if (searches && kind !== undefined) {
			const why = whyNotNames(
				await list({folder, workspace}, ['ls-tree', '-r', '--full-tree', '--name-only', '-z', operand]),
				repository,
			);
			if (why !== undefined) {
				return why;
			}
		}
	}

	return undefined;
}

function whyNotNames(names: readonly string[] | undefined, {top, denied}: Repository): string | undefined {
	if (!names?.every(name => !isSecretFile(`${top}/${name}`))) {
		return 'may print files whose names suggest secrets';
	}

	return names.some(name => denied?.by(`${top}/${name}`)) ? 'may print files that a rule denies' : undefined;
}

/** Where git runs, and the working folder. */
type Where = {readonly folder: string; readonly workspace: string};

async function list(where: Where, args: readonly string[]): Promise<readonly string[] | undefined> {
	return (await git(where, args))?.split('\0').filter(Boolean);
}

type Setting = {readonly scope: string; readonly name: string; readonly value: string};

function readSettings(text: string): readonly Setting[] {
	const fields = text.split('\0');
	return fields.slice(0, fields.length - (fields.length % 2)).flatMap((scope, index) => {
		const [name = '', ...value] = (fields[index + 1] ?? '').split('\n');
		return index % 2 === 0 ? [{scope, name, value: value.join('\n')}] : [];
	});
}

/** Returns what a git that only reads prints; undefined if it fails or prints too much. */
async function git({folder: cwd, workspace}: Where, args: readonly string[]): Promise<string | undefined> {
	try {
		const limits = {env: checkEnvironment, timeoutMs: askTimeoutMs, maxBytes: maxListBytes};
		const options = {command: 'git', args, cwd, outside: workspace, ...limits};
		const {status, stdout, omittedBytes} = await runChild({...options, signal: new AbortController().signal});
		return status === 0 && omittedBytes === 0 ? stdout : undefined;
	} catch (error) {
		if (error instanceof AppError) {
			return undefined;
		}

		throw error;
	}
}

/** Where git says that it keeps the data of a repository, as absolute paths. */
type GitData = {
	/** That of the working tree. */
	readonly git: string;
	/** That which working trees share. */
	readonly common: string;
	readonly objects: string;
};

const elsewhere = 'reads a repository that is not in the working folder';

/**
 * Returns why git may not read its data unasked, as a clause: a file or a link may lead to another repository. The data may
 * be outside of the working folder only for a worktree or a submodule that the repository knows.
 */
async function whyNotData(data: GitData, top: string, workspace: string): Promise<string | undefined> {
	const [git, common, objects] = await Promise.all([data.git, data.common, data.objects].map(realPathOf));
	if (git === undefined || common === undefined || objects === undefined) {
		return elsewhere;
	}

	const isIn = [git, common].every(path => isInside(path, workspace));
	const linked = isIn ? undefined : await linkedGit(join(top, '.git'));
	const isKnown = isIn || (linked !== undefined && linked.git === git && linked.common === common);
	return isKnown && objects === join(common, 'objects') && !(await leadsAway(objects)) ? undefined : elsewhere;
}

/** True if objects are elsewhere, too. */
async function leadsAway(objects: string): Promise<boolean> {
	const alternates = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(
		(error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? '' : '?'),
	);
	const entries = await Promise.all(
		[objects, join(objects, 'pack'), join(objects, 'info')].map(folder =>
			readdir(folder, {withFileTypes: true}).catch(() => []),
		),
	);
	return alternates.trim() !== '' || entries.flat().some(entry => entry.isSymbolicLink());
}

async function realPathOf(path: string): Promise<string | undefined> {
	return realpath(path).catch(() => undefined);
}

/** Options that change how commits are drawn, not which: names are printed instead. */
const drawing =
	/^(?:-p|-u|-s|-z|-U|-W|-w|-b|--(?:patch.*|no-patch|raw|stat|shortstat|numstat|summary|dirstat|compact-summary|check|name-only|name-status|unified|word-diff|color-words|color|no-color|graph|oneline|format|pretty|source|boundary|left-right|cherry-mark|exit-code|quiet|function-context|decorate|no-decorate|abbrev.*|no-abbrev.*|relative|find-renames|find-copies|no-renames)|-q|-M|-C|-D)$/;

/**
 * Returns the arguments with which `git log`, `git show` or `git stash` prints the names of the files of which it would print
 * contents. `first` is the verb of `stash`.
 */
function namesOnly(command: string, {options, words}: Arguments, first: readonly string[] = []): string[] {
	const kept = [...options].flatMap(([name, values]) =>
		drawing.test(name) ? [] : values.map(value => optionText(name, value)),
	);
	const ours = ['--name-only', '--no-renames', '-z', '--format=', '--no-color'];
	return [command, ...first, ...kept, ...ours, ...words.slice(first.length)];
}

function optionText(name: string, value: string): string {
	if (name === '-#') {
		return `-${value}`;
	}

	return name.startsWith('--') && value !== '' ? `${name}=${value}` : `${name}${value}`;
}
