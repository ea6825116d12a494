import {judgePath} from '../rules/judge-path.ts';
import type {Judging, RuleEntry} from '../verdict.ts';
import type {SimpleCommand} from './parse-command.ts';
import {physicalPath, whyNotPath} from './paths.ts';
import type {Place} from './read-only.ts';

type Written<Entry> = {readonly by: readonly Entry[]} | {readonly why: string} | {readonly denying: Entry};

/**
 * Returns the rules that cover the files of a command's redirections, the rule that denies one, or why one isn't covered.
 * A file to write needs a rule for edits; a file to read must be one that the model may see.
 */
export async function coverOfFiles<Entry extends RuleEntry>(
	{redirections}: SimpleCommand,
	place: Place,
	judging: Judging<Entry>,
): Promise<Written<Entry>> {
	const by: Entry[] = [];
	for (const {operator, target} of redirections) {
		if (target.pattern !== undefined) {
			return {why: 'redirects to a pattern'};
		}

		if (operator === '<') {
			const why = await whyNotPath(target.value, 'content', place);
			if (why !== undefined) {
				return {why};
			}

			continue;
		}

		const path = await physicalPath(target.value, place.folder);
		const verdict = path === undefined ? undefined : await judgePath({kind: 'edit', path}, judging);
		if (verdict?.effect === 'deny') {
			return {denying: verdict.by};
		}

		if (verdict?.effect !== 'allow' || verdict.by === 'read-only') {
			return {why: 'writes to a file'};
		}

		by.push(...verdict.by);
	}

	return {by};
}
