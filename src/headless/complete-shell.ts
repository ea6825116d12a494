import {commands} from '../../commands/index.ts';
import type {Entry} from '../command/command.ts';
import {completeWords} from '../command/complete.ts';
import {completeRunFlags} from '../command/complete-run-flags.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import {type CompletionValues, createCompletionValues} from '../config/completion-values.ts';
import {openConfig} from '../config/config.ts';
import {openRecents} from '../config/recents.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import type {Environment} from '../core/environment.ts';
import {openHome} from '../storage/home.ts';

type Options = {
	readonly env: Environment;
	readonly stdout: {readonly write: (data: string) => unknown};
	/** All commands; those of the program by default. */
	readonly entries?: readonly Entry[];
};

/**
 * `service __complete -- words…`, which the scripts of `service completion` call: prints what the last word may become,
 * one a line, with what it is behind a tab. It reads the state folder only where an argument needs it, and reaches no
 * network. Gives the exit status, which is always 0: a shell that completes has no place for errors.
 */
export async function runCompletion(
	words: readonly string[],
	{env, stdout, entries = commands}: Options,
): Promise<number> {
	const find = (valuesOf: CompletionValues) =>
		words[0]?.startsWith('-')
			? completeRunFlags(words, valuesOf)
			: completeWords(entries, words, {valuesOf, place: 'shell'});
	const asked = new Set<string>();
	find(kind => {
		asked.add(kind);
		return [];
	});
	const found = find(asked.size > 0 ? await valuesFor(words, env, asked.has('model')) : () => []);
	const lines = narrowed(found, words.at(-1) ?? '').map(({word, summary}) => `${word}\t${summary}\n`);
	stdout.write(lines.join(''));
	return 0;
}

async function valuesFor(words: readonly string[], env: Environment, withModels: boolean): Promise<CompletionValues> {
	try {
		const home = openHome(env);
		const config = openConfig(home);
		const {loadCatalog} = await import('../providers/prices.ts');
		const models = withModels ? (await loadCatalog()).models.map(({id}) => id) : [];
		return createCompletionValues({
			config,
			recents: openRecents(home.recentsFile),
			profile: () => resolveProfile({data: config.read(), env, flags: flagsOf(words)})?.name,
			models: () => models,
		});
	} catch {
		return () => [];
	}
}

/** The flags so far; the last word is still being typed. */
function flagsOf(words: readonly string[]) {
	try {
		return takeGlobalFlags(words.slice(0, -1)).flags;
	} catch {
		return {};
	}
}

/** A shell puts in what all lines begin with: what does not begin as typed is given only where it is alone. */
function narrowed<T extends {readonly word: string}>(found: readonly T[], typed: string): readonly T[] {
	const begins = found.filter(({word}) => word.toLowerCase().startsWith(typed.toLowerCase()));
	return begins.length > 0 || found.length > 1 ? begins : found;
}
