import * as z from 'zod/mini';
import {fieldsOf} from '../src/command/arguments.ts';
import {command} from '../src/command/command.ts';
import {type Entry, verbOfAlias} from '../src/command/context.ts';
import {helpAbout, helpOf, helpOfAll, helpOfEntry} from '../src/command/help.ts';
import {type HelpKeys, helpKeys, lineKeys} from '../src/command/help-groups.ts';
import {isLineByLine} from '../src/command/line-by-line.ts';
import type {Result} from '../src/command/result.ts';
import {findCommand} from '../src/command/table.ts';
import {findTopic, type Topic, topics} from '../src/command/topics/topics.ts';
import {noOwnKeys} from '../src/editor/keymap/keymap.ts';

export default command({
	name: 'help',
	aliases: ['?'],
	summary: 'Show all commands, or help for a command or topic',
	args: z.object({command: z.optional(z.string())}),
	positional: ['command'],
	rest: true,
	describe: {command: 'a command, such as keys set, a topic, such as environment, or words to search for'},
	suggests: {command: topics.map(({name, summary}) => ({value: name, hint: summary}))},
	examples: ['help', 'help keys set', 'help environment', 'help cost'],
	whileRunning: true,

	async run({command: name}, context) {
		const {
			program: {
				commands,
				local: {settings},
			},
			ui: {live},
		} = context;
		const entries = commands.all();
		const inApp = live !== undefined;
		const {readKeys} = await import('../src/command/keymap/read-keys.ts');
		const {own} = readKeys(settings.value('keys') ?? {});
		const keys = isLineByLine(context) ? lineKeys : helpKeys(own);
		if (!name) {
			return helpOfAll(entries, inApp, keys);
		}

		const words = name.replace(/^\//, '').split(/\s+/);
		const topic = words.length === 1 ? findTopic(words[0] ?? '') : undefined;
		const page = topic && (await topicResult(topic, own));
		const entry = entries.find(({name: own, aliases}) => own === words[0] || aliases?.includes(words[0] ?? ''));
		if (!entry && page) {
			return page;
		}

		const found = await helpOfCommand(entries, words, {entry, inApp, keys});
		return page ? {kind: 'group', parts: [found, page], data: 'data' in found ? (found.data ?? null) : null} : found;
	},
});

async function helpOfCommand(
	entries: readonly Entry[],
	words: readonly string[],
	{entry, inApp, keys}: {readonly entry: Entry | undefined; readonly inApp: boolean; readonly keys: HelpKeys},
): Promise<Result> {
	const ofAlias = entry && verbOfAlias(entry, words[0] ?? '');
	// An alias with flags of its own is a command: `sessions --all`.
	if (entry && words.length === 1 && (!ofAlias || fieldsOf(ofAlias.args).length === 0)) {
		return helpOfEntry(entry, inApp);
	}

	// A word that names no command is one to search for.
	const about = entry ? undefined : helpAbout(words, entries, inApp, keys);
	if (about) {
		return about;
	}

	if (!entry) {
		const {unknownHelp} = await import('../src/command/unknown-help.ts');
		throw unknownHelp(words, entries, inApp);
	}

	const {path, command: found} = findCommand(entries, words);
	return helpOf(path, found, inApp);
}

/** Returns the page of a topic, with the keys in effect. It loads pages and renderer with the first page that is asked for. */
export async function topicResult(
	{name, summary}: Topic,
	ownKeys = noOwnKeys,
): Promise<Extract<Result, {kind: 'page'}>> {
	const [{pageOf}, {renderMarkdown}] = await Promise.all([
		import('../src/command/topics/pages.ts'),
		import('../src/terminal/markdown/markdown.ts'),
	]);
	const markdown = pageOf(name, ownKeys);
	return {kind: 'page', markdown, draw: renderMarkdown, data: {topic: name, summary, text: markdown}};
}
