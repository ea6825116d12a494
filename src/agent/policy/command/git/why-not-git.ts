import type {Bounds} from '../../bounds.ts';
import {isSecretFile} from '../../secret-files.ts';
import {type Argument, type Arguments, readArguments} from '../options.ts';
import {physicalPath, whyNotPath} from '../paths.ts';
import {type GitCommand, gitCommands} from './git-commands.ts';
import {
	findRepository,
	type Repository,
	whyNotCompared,
	whyNotDiffed,
	whyNotPrinted,
	whyNotRevisions,
	whyNotShown,
} from './git-repository.ts';

type Place = {readonly folder: string; readonly bounds: Bounds};

/** Returns why git may not run unasked, as a clause; undefined if it only reads the repository of the working folder. */
export async function whyNotGit(args: readonly Argument[], place: Place): Promise<string | undefined> {
	const [first, ...rest] = args;
	if (first?.value === '--no-pager' || first?.value === '--no-optional-locks') {
		return whyNotGit(rest, place);
	}

	if (first?.value === '-C' && rest[0] && !rest[0].isFile) {
		const folder = await physicalPath(rest[0].value, place.folder);
		const why =
			folder === undefined ? 'changes to a folder that is not there' : await whyNotPath(folder, 'content', place);
		return folder === undefined || why !== undefined ? why : whyNotGit(rest.slice(1), {...place, folder});
	}

	const command =
		first && !first.isFile && Object.hasOwn(gitCommands, first.value) ? gitCommands[first.value] : undefined;
	if (!command) {
		return '';
	}

	const read = readArguments(rest, command.options);
	if (typeof read === 'string') {
		return `uses “${read}”`;
	}

	return fits(command, rest, read)
		? ((await whyNotOperands(command, read, place)) ?? whyNotRepository(command, read, place))
		: '';
}

/** True if the words have a form that only reads: `git branch name`, `git stash` and `git tag name` write. */
function fits(command: GitCommand, args: readonly Argument[], {operands, options}: Arguments): boolean {
	const {verbs, verbOptional, operandsOnlyWith, mostOperands = Number.POSITIVE_INFINITY} = command;
	const hasVerb =
		verbs === undefined ||
		(args[0]?.isFile === false && verbs.includes(args[0].value)) ||
		(verbOptional && operands.length === 0);
	const mayHaveOperands =
		command.operands !== undefined && (!operandsOnlyWith || operandsOnlyWith.some(option => options.has(option)));
	// Some placeholders verify signatures, which starts gpg.
	const formats = ['--format', '--pretty', '--sort'].flatMap(option => options.get(option) ?? []).join(' ');
	return (
		!!hasVerb &&
		operands.length <= (mayHaveOperands ? mostOperands : 0) &&
		!/%G|%[^%]*signature|signature/i.test(formats)
	);
}

/** Every operand may be a path: `git diff` compares any two files if one is outside of the repository. */
async function whyNotOperands(
	{operands: kind}: GitCommand,
	read: Arguments,
	place: Place,
): Promise<string | undefined> {
	const skips = kind === 'text-first' && !read.options.has('-e') ? 1 : 0;
	if (skips === 1 && read.operands[0]?.isFile) {
		return 'has a pattern where a text is expected';
	}

	for (const {value} of read.operands.slice(skips)) {
		const colon = value.lastIndexOf(':');
		const path = value.slice(colon + 1);
		if (colon >= 0 && (isSecretFile(path) || path.split('/').includes('..'))) {
			return 'reads a file whose name suggests secrets, or in another folder';
		}

		const why = await whyNotPath(value === '' ? '.' : value, 'content', place);
		if (why !== undefined) {
			return why;
		}
	}

	return undefined;
}

async function whyNotRepository(command: GitCommand, read: Arguments, place: Place): Promise<string | undefined> {
	const repository = await findRepository(place.folder, place.bounds);
	if (typeof repository === 'string') {
		return repository;
	}

	if (command.remotes && hasPassword(repository)) {
		return 'shows an address with a password';
	}

	const {content = [], compares = false} = command;
	const why = compares ? await whyNotCompared(repository) : undefined;
	const prints = content === true || content.some(option => read.options.has(option));
	if (why !== undefined || !prints) {
		return why;
	}

	if (command === gitCommands['diff']) {
		const sides = ['--cached', '--staged', '--merge-base'].filter(option => read.options.has(option));
		return whyNotDiffed(repository, place.folder, [...sides, ...read.words]);
	}

	const operands = read.operands.map(({value}) => value);
	const name = ['log', 'show', 'stash'].find(each => command === gitCommands[each]);
	return (
		(await whyNotRevisions(repository, place.folder, operands, command === gitCommands['grep'])) ??
		(await whyNotPrinted(repository)) ??
		(name === undefined ? undefined : whyNotShown(repository, place.folder, name, read))
	);
}

function hasPassword({addresses}: Repository): boolean {
	return addresses.some(address => /^[a-z+]+:\/\/(?!git@)[^/]*@/i.test(address));
}
