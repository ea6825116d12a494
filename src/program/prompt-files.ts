import {inEffect, type Project, type ProjectState} from '../agent/project/project.ts';
import type {PromptFile} from '../agent/skills/prompt-file.ts';
import {promptText, readPromptFile} from '../agent/skills/prompt-file.ts';
import type {Entry} from '../command/context.ts';
import type {EntrySource} from '../command/entries/entry-source.ts';
import {isEntryName, promptEntry} from '../command/entries/prompt-entry.ts';
import {AppError} from '../core/error.ts';

/** Returns the slash commands of prompt files: the user's own, and those of a project that the user trusts. */
export function promptFileEntries(project: Project): EntrySource {
	let entries: readonly Entry[] = [];
	let shown = '';
	return {
		kind: 'prompt file',
		entries: () => entries,
		async refresh() {
			const found = promptsOf(await project.load());
			const key = JSON.stringify(found);
			if (key !== shown) {
				shown = key;
				entries = found.map(entryOf);
			}
		},
	};
}

type Found = PromptFile & {readonly isOwn: boolean};

/** Returns the prompt files in effect by name: the user's own win, then those of the nearest folder. */
function promptsOf(state: ProjectState): readonly Found[] {
	const found = inEffect(state)
		.filter(({kind}) => kind === 'prompt')
		.map(({path, text, standing}) => ({...readPromptFile(path, text), isOwn: standing === 'user'}))
		.filter(({name}) => isEntryName(name));
	const byRank = [...found.filter(({isOwn}) => !isOwn), ...found.filter(({isOwn}) => isOwn)];
	return [...new Map(byRank.map(file => [file.name, file])).values()].toSorted((one, other) =>
		one.name < other.name ? -1 : 1,
	);
}

function entryOf({name, path, description, argumentHint, body, isOwn}: Found): Entry {
	return promptEntry({
		name,
		summary: `${description || 'Send this prompt'} (${isOwn ? 'your prompt' : 'prompt of the project'})`,
		hint: argumentHint,
		textFor(typed) {
			const text = promptText(body, typed);
			if (!text.trim()) {
				throw new AppError('usage', `The prompt file ${path} is empty.`, {hint: 'Write the prompt into it.'});
			}

			return text;
		},
	});
}
