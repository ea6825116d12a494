import type {ServerPrompt} from '../agent/mcp/prompts.ts';
import type {Entry} from '../command/context.ts';
import type {EntrySource} from '../command/entries/entry-source.ts';
import {isEntryName, promptEntry} from '../command/entries/prompt-entry.ts';
import {AppError} from '../core/error.ts';

/** Returns the slash commands of the prompts of MCP servers, given what lists them. */
export function mcpPromptEntries(prompts: () => Promise<readonly ServerPrompt[]>): EntrySource {
	let entries: readonly Entry[] = [];
	let current: ReadonlyMap<string, ServerPrompt> = new Map();
	let shown = '[]';
	/** What an entry sends is that of the server of now, which may be another one with the same prompts. */
	const entryOf = ({name, summary, hint}: ServerPrompt) =>
		promptEntry({
			name,
			summary,
			hint,
			async textFor(typed, signal) {
				const prompt = current.get(name);
				if (!prompt) {
					throw new AppError('not-found', `The prompt ${name} is gone.`, {hint: '`mcp` shows the servers.'});
				}

				return prompt.textFor(typed, signal);
			},
		});
	return {
		kind: 'MCP prompt',
		entries: () => entries,
		async refresh() {
			const found = (await prompts()).filter(({name}) => isEntryName(name));
			current = new Map(found.map(prompt => [prompt.name, prompt]));
			const key = JSON.stringify(found);
			if (key !== shown) {
				shown = key;
				entries = found.map(entryOf);
			}
		},
	};
}
