import {lstat, realpath} from 'node:fs/promises';
import {relative, resolve, sep} from 'node:path';
import {forEachChild, parse, type SyntaxNode} from 'unbash';
import {once} from '../../../core/once.ts';
import {shellWord} from '../../../core/shell-word.ts';
import {outerRepository} from '../../obeyed/git-places.ts';
import {isWithin} from '../../paths/existing.ts';
import {matchesPath} from '../rules/judge-path.ts';
import {type FileRules, namesSecrets} from '../rules/rule.ts';
import {isSecretFile} from '../secret-files.ts';
import {holdsSecrets} from '../withheld-files.ts';
import {parseCommand, type SimpleCommand} from './parse-command.ts';
import {expandPattern} from './paths.ts';
import type {Word} from './word.ts';

const maxFiles = 200;
const maxDepth = 3;
const maxWords = 5000;

/**
 * Returns the files that a command names, as absolute paths: in its words, in texts for another shell, behind options, in
 * folders that it changes to. They exist, or git is asked for them, which may have what was there before. It is a question
 * of manners, not a fence: what a command names is asked about before it runs, what it opens otherwise the sandbox hides.
 */
export async function namedFiles(command: string, folder: string): Promise<readonly string[]> {
	const {words, folders, asksGit} = wordsIn(command);
	// `git show HEAD:name` counts from the top of the repository.
	const outer = asksGit ? await outerRepository(folder) : undefined;
	const places = [folder, ...[...folders].map(path => resolve(folder, path)), ...(outer === undefined ? [] : [outer])];
	const found = new Set<string>();
	for (const word of words) {
		for (const text of partsOf(word)) {
			for (const place of places) {
				for (const path of await pathsOf(text, place, asksGit)) {
					found.add(path);
				}
			}
		}

		if (found.size > maxFiles) {
			break;
		}
	}

	return [...found];
}

/** Returns the secret files that a command names and no rule allows, as absolute paths. */
export async function namedSecrets(
	command: string,
	folder: string,
	{folder: root, entries}: FileRules,
): Promise<readonly string[]> {
	const allowing = entries.filter(rule => rule.effect === 'allow' && namesSecrets(rule));
	const secrets = new Set<string>();
	const outer = once(async () => outerRepository(root));
	for (const path of await namedFiles(command, folder)) {
		const real = await realpath(path).catch(() => path);
		const names = [path, real].map(each => relative(root, each).replaceAll(sep, '/'));
		const isAllowed = allowing.some(rule => rule.tool === 'read_file' && names.some(name => matchesPath(rule, name)));
		if (
			!isAllowed &&
			names.some(isSecretFile) &&
			!(await isFolder(real)) &&
			(isWithin(real, root) || isWithin(real, (await outer()) ?? root)) &&
			(await holdsSecrets(real, root))
		) {
			secrets.add(real);
		}
	}

	return [...secrets];
}

/** Returns a word and what may be a path in it: behind `=`, `@` and `:`, behind the letter of an option. */
function partsOf(word: string): ReadonlySet<string> {
	const parts = [word, /=(.+)$/s.exec(word)?.[1], /@(.+)$/s.exec(word)?.[1], /:(.+)$/s.exec(word)?.[1]];
	parts.push(/^-\w(.+)$/s.exec(word)?.[1], /^file:\/\/(.+)$/s.exec(word)?.[1]);
	return new Set(parts.flatMap(part => (part ? [part] : [])));
}

async function pathsOf(text: string, folder: string, mayBeMissing: boolean): Promise<readonly string[]> {
	if (text.length > 1000) {
		return [];
	}

	const names = /[*?]/.test(text) ? ((await expandPattern(text, folder)) ?? []) : [text];
	const paths = names.map(name => resolve(folder, name));
	if (mayBeMissing) {
		return paths;
	}

	const found = await Promise.all(paths.map(path => lstat(path).catch(() => undefined)));
	return paths.filter((_, index) => found[index] !== undefined);
}

async function isFolder(path: string): Promise<boolean> {
	return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Returns the words of a command that may be files, and the folders that it changes to. */
function wordsIn(command: string) {
	const parsed = parseCommand(command);
	if ('why' in parsed) {
		return {...readWords(command), asksGit: /\bgit\b/.test(command)};
	}

	// Words that go to another program may be files there.
	const isPiped = parsed.commands.some(({hasInput}) => hasInput);
	const opened = parsed.commands.map(each => ({...each, words: isPiped ? each.words : openedWords(each.words)}));
	const text = opened.map(({words, variables, redirections}) =>
		[
			...variables.map(([name, value]) => `${name}=${shellWord(value)}`),
			...[...words, ...redirections.map(({target}) => target)].map(word => word.text),
		].join(' '),
	);
	return {
		...readWords(text.join('\n')),
		asksGit: opened.some(({words: [name, ...operands]}) => name?.value === 'git' && operands.length > 0),
	};
}

/** What git says about files without what is in them. */
const gitLists = new Set(['check-attr', 'check-ignore', 'ls-files', 'status']);

/** Returns the words of a simple command but for those that it prints or keeps as a text, and lists of git. */
function openedWords([name, ...operands]: SimpleCommand['words']): readonly Word[] {
	if (/^(?:echo|printf)$/.test(name.value)) {
		return [name];
	}

	if (name.value !== 'git') {
		return [name, ...operands];
	}

	const subcommand = operands.find(
		({value}, index) => !value.startsWith('-') && !/^-[Cc]$/.test(operands[index - 1]?.value ?? ''),
	);
	const takesMessage = /^(?:commit|merge|notes|stash|tag)$/.test(subcommand?.value ?? '');
	const isOpened = ({value}: Word, index: number) =>
		!/^:(?:[!^]|\(exclude\))/.test(value) &&
		!(
			takesMessage &&
			(value.startsWith('--message=') || /^(?:-[a-z]*m|--message)$/.test(operands[index - 1]?.value ?? ''))
		);
	return gitLists.has(subcommand?.value ?? '') ? [name] : [name, ...operands.filter(isOpened)];
}

/**
 * Returns the words of a command as the shell reads them, also of texts for another shell, and the folders that it changes
 * to. What can't be parsed is split at quotes, operators and variables.
 */
function readWords(command: string): {readonly words: ReadonlySet<string>; readonly folders: ReadonlySet<string>} {
	const [words, folders] = [new Set<string>(), new Set<string>()];
	const collect = (text: string, depth: number): void => {
		// After a variable, such as `$PWD/.env`, the rest looks absolute.
		for (const word of text.replace(/\$\{?\w+\}?/g, ' ').split(/[\s;|&<>()'"`$={},:]+/, maxWords)) {
			words.add(word).add(word.replace(/^\/+/, ''));
		}

		const visit = (node: SyntaxNode): void => {
			if (node.type === 'Command') {
				const values = [node.name, ...node.args].flatMap(item => (item?.type === 'Word' ? [item.value] : []));
				for (const [index, value] of values.entries()) {
					const target = values[index + 1];
					if (target !== undefined && /^(?:cd|pushd|-C|--prefix|--cwd|--dir)$/.test(value)) {
						folders.add(target);
					}
				}
			}

			if (node.type === 'Word' && words.size < maxWords) {
				words.add(node.value);
				if (/\s/.test(node.value) && depth < maxDepth) {
					collect(node.value, depth + 1);
				}
			}

			forEachChild(node, visit);
		};
		try {
			visit(parse(text));
		} catch (error) {
			// Too deeply nested for the parser: its words were found by splitting.
			if (!(error instanceof RangeError)) {
				throw error;
			}
		}
	};
	collect(command, 0);
	words.delete('');
	return {words, folders};
}
