import {type Bounds, writeBoundsOf} from '../../tools/files/bounds.ts';
import {beginsAsSuggested, fixedWords} from '../rules/match-command.ts';
import type {Rule} from '../rules/rule.ts';
import {isSecretFile} from '../secret-files.ts';
import type {Judging, RuleEntry} from '../verdict.ts';
import type {SimpleCommand} from './parse-command.ts';
import {whyNotPath} from './paths.ts';
import type {Word} from './word.ts';

/**
 * Returns why a rule such as `git commit *`, which a key in a question keeps, doesn't cover what a command names behind its
 * words, as a clause: nobody who allowed it thought of a place outside the working folder, of git's own files, or of files
 * whose names suggest secrets.
 */
export async function whyNotNamed<Entry extends RuleEntry>(
	rule: Rule,
	command: SimpleCommand,
	{folder, workspace, places}: Pick<Judging<Entry>, 'workspace' | 'places'> & {readonly folder: string},
): Promise<string | undefined> {
	const fixed = fixedWords(rule);
	if (fixed === undefined || !beginsAsSuggested(command)) {
		return undefined;
	}

	const bounds = await writeBoundsOf(workspace, places);
	for (const word of command.words.slice(fixed)) {
		if (await isElsewhere(word, {folder, bounds})) {
			return 'names a place that its rule does not cover';
		}
	}

	return undefined;
}

async function isElsewhere({value, pattern}: Word, place: {readonly folder: string; readonly bounds: Bounds}) {
	// Which files a pattern names is known only when the shell runs.
	if (pattern !== undefined && (/(?:^|\/)(?:\.[^/]|~)/.test(value) || isSecretFile(value))) {
		return true;
	}

	// An option may have its value behind “=”, or directly behind its letter.
	const named = [value, /=(.*)$/s.exec(value)?.[1], /^-\w(.+)$/s.exec(value)?.[1]];
	for (const path of named) {
		if (path && (/(?:^|\/)\.git(?:\/|$)/i.test(path) || (await whyNotPath(path, 'content', place)) !== undefined)) {
			return true;
		}
	}

	return false;
}
