import {realpathSync} from 'node:fs';
import process from 'node:process';
import {commands} from '../../commands/index.ts';
import {completeWords} from '../command/completion/complete.ts';
import {completeRunFlags} from '../command/completion/complete-argument.ts';
import {type KnownValue, type KnownValues, sessionValues, type ValueKind} from '../command/completion/known-values.ts';
import type {Entry} from '../command/context.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import {commandIndex} from '../command/invocation.ts';
import {createCompletionValues} from '../config/completion-values.ts';
import {openConfig} from '../config/config.ts';
import {openRecents} from '../config/recents.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import type {Environment} from '../core/environment.ts';
import type {ModelInfo} from '../core/model.ts';
import {type Home, openHome} from '../storage/home.ts';
import {localConnection} from '../store/connection-slice.ts';
import {safeLine} from '../terminal/text/safe-text.ts';

type Options = {
	readonly env: Environment;
	readonly stdout: {readonly write: (data: string) => unknown};
	/** The working folder of the shell; that of the process by default. */
	readonly folder?: string;
	/** How many characters of the last word the shell keeps; they are not printed. None by default. */
	readonly kept?: number;
	/** All commands; those of the program by default. */
	readonly entries?: readonly Entry[];
};

/**
 * Runs `service __complete -- words…` or `--line <line> <last part>`, which the scripts of `service completion` call: prints
 * the completions of the last word, one a line, each with its summary after a tab. It reads the state folder only if an
 * argument needs it, and sends nothing. Leaves out what a shell would read as more than a word. Returns the exit status, always
 * 0: completion has no place for errors.
 */
export async function runCompletion(
	words: readonly string[],
	{env, stdout, folder = process.cwd(), kept = 0, entries = commands}: Options,
): Promise<number> {
	const at = words.length === 0 ? 0 : commandIndex(words);
	const find = (valuesOf: KnownValues) =>
		at < 0 ? completeRunFlags(words, valuesOf) : completeWords(entries, words.slice(at), {valuesOf, place: 'shell'});
	const asked = new Set<ValueKind>();
	find(kind => {
		asked.add(kind);
		return [];
	});
	const found = find(asked.size > 0 ? await valuesFor(words, {env, folder, asked}) : () => []);
	const typed = words.at(-1) ?? '';
	const lines = narrowed(found, typed)
		.filter(({word}) => word.startsWith(typed.slice(0, kept)) && isPlain(word))
		.map(({word, summary}) => `${word.slice(kept)}\t${safeLine(summary)}\n`);
	stdout.write(lines.join(''));
	return 0;
}

/**
 * True for a flag or a value that is one word in every shell without quoting and nothing else, and on the screen: bash inserts
 * completions as they are, and what a server calls its things must not become a command (SAFETY 1).
 */
function isPlain(word: string): boolean {
	return /^(?:--?)?[\p{L}\p{N}_/][\p{L}\p{M}\p{N}_.:@%+=,/-]*$/u.test(word) && safeLine(word) === word;
}

type Situation = {readonly env: Environment; readonly folder: string; readonly asked: ReadonlySet<ValueKind>};

async function valuesFor(words: readonly string[], {env, folder, asked}: Situation): Promise<KnownValues> {
	try {
		const home = openHome(env);
		const config = openConfig(home);
		const models = asked.has('model') ? await knownModels() : [];
		const saved = asked.has('saved-session') ? await savedSessions(home, folder) : [];
		const remote = resolveProfile({data: config.read(), env, flags: flagsOf(words)})?.name;
		const profile = remote ?? localConnection.profile;
		const valuesOf = createCompletionValues({
			config,
			recents: openRecents(home.recentsFile),
			profile: () => profile,
			models: () => models.map(({id}) => id),
		});
		const hints = await hintsFor(asked, home, profile);
		const examples = asked.has('task') && remote === undefined ? await exampleTasks() : [];
		const named = new Map([...models.map(({id, name}) => [id, name] as const), ...hints]);
		const withHint = (value: string): KnownValue => ({value, hint: named.get(value) ?? ''});
		return kind =>
			kind === 'saved-session'
				? saved
				: [...new Set([...valuesOf(kind), ...(kind === 'task' ? examples : [])])].map(withHint);
	} catch {
		return () => [];
	}
}

async function knownModels(): Promise<readonly ModelInfo[]> {
	const {loadCatalog} = await import('../core/catalog.ts');
	return (await loadCatalog()).models;
}

/** Kinds whose things have a title or a state. */
const titled = ['session', 'runtime', 'environment'] as const;

/** Returns what was last seen of the things of a server, by id. */
async function hintsFor(asked: ReadonlySet<ValueKind>, home: Home, profile: string) {
	if (!titled.some(kind => asked.has(kind))) {
		return [];
	}

	const [{openSightings}, {seenText}] = await Promise.all([
		import('../config/sightings.ts'),
		import('../command/picker/resume-choices.ts'),
	]);
	const seen = await openSightings(home.sightingsFile).recall();
	return seen.filter(each => each.profile === profile).map(each => [each.id, seenText(each)] as const);
}

/** Returns the tasks that the embedded server has from its start. */
async function exampleTasks(): Promise<readonly string[]> {
	const {exampleNames} = await import('../server/tasks/examples/examples.ts');
	return exampleNames;
}

async function savedSessions(home: Home, folder: string): Promise<readonly KnownValue[]> {
	const {listSessions} = await import('../storage/sessions.ts');
	return sessionValues(await listSessions(home, {folder: realpathSync(folder)}));
}

/** Returns the flags before the last word, which is not complete. */
function flagsOf(words: readonly string[]) {
	try {
		return takeGlobalFlags(words.slice(0, -1)).flags;
	} catch {
		return {};
	}
}

/** A shell inserts the common prefix of all lines, so a completion that doesn't start as typed counts only if it is the only one. */
function narrowed<T extends {readonly word: string}>(found: readonly T[], typed: string): readonly T[] {
	const begins = found.filter(({word}) => word.toLowerCase().startsWith(typed.toLowerCase()));
	return begins.length > 0 || found.length > 1 ? begins : found;
}
