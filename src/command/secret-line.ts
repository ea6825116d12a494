import {isProviderName} from '../core/model.ts';
import {redactKnown} from '../core/secrets/redact.ts';
import {mask} from '../core/secrets/secret.ts';
import {hasKnownSecret} from '../core/secrets/secret-kinds.ts';
import {readArguments} from './arguments.ts';
import {closest} from './closest.ts';
import type {GlobalFlags} from './context.ts';
import {type Command, type Entry, isNoun} from './context.ts';
import {takeGlobalFlags} from './global-flags.ts';
import {findCommand} from './table.ts';
import {splitWords} from './words.ts';

/** A command behind a slash, or as a shell runs it. White space may be of any kind, a line end too. */
const commandLine = /^\s*(?:\/\s*|(?:service|svc)\s+)(\S[\s\S]*)$/i;

/** What people type for commands that take a secret. */
const alsoCalled: Readonly<Record<string, string>> = {
	...{key: 'keys', apikey: 'keys', apikeys: 'keys', 'api-keys': 'keys'},
	...{signin: 'login', 'sign-in': 'login', 'log-in': 'login', auth: 'login'},
};

/** The line as it may be shown: a secret argument becomes `***`, however it was given (SAFETY 11). */
export function withoutSecret(entries: readonly Entry[], line: string): string {
	const found = harmlessPart(entries, line);
	return found ? [found.text, ...(found.isHidden ? [mask] : [])].join(' ') : line;
}

/**
 * The prompt as it may be kept, '' for nothing: of a command with a secret what is harmless, and of any other text
 * everything but the credentials of known kinds in it (SAFETY 8, 11). A prompt may hold a command among other lines.
 */
export function promptToKeep(entries: readonly Entry[], text: string): string {
	const trimmed = text.trim();
	const whole = lineToKeep(entries, trimmed);
	const kept =
		whole === trimmed
			? trimmed
					.split('\n')
					.map(line => lineToKeep(entries, line))
					.join('\n')
			: whole;
	return redactKnown(kept.trim());
}

function lineToKeep(entries: readonly Entry[], line: string): string {
	const found = harmlessPart(entries, line);
	if (found && !found.isMisspelt) {
		return found.text;
	}

	// A command misspelt: nobody knows what it was meant to be, so nothing of it is kept.
	return /^\s*\//.test(line) && hasKnownSecret(line) ? '' : (found?.text ?? line);
}

type Part = {readonly text: string; readonly isHidden: boolean; readonly isMisspelt?: boolean};

/**
 * The part of a command line that holds no secret; undefined for a line that has none. Options of a command with a secret
 * are left out, because a slip makes the secret the value of one. Of a line that cannot be read, such as one with an open
 * quote, only the name and the verb stay.
 */
function harmlessPart(entries: readonly Entry[], line: string): Part | undefined {
	const [, typed] = commandLine.exec(line) ?? [];
	if (typed === undefined) {
		return undefined;
	}

	try {
		const {flags, rest} = takeGlobalFlags(splitWords(typed));
		const [name = '', verb, ...others] = rest;
		const words = [
			meant(entries, name, verb),
			...(verb === undefined ? [] : [lowerWhereVerb(entries, verb)]),
			...others,
		];
		const {command, path, rest: given} = findCommand(entries, words);
		return command.secret ? argumentsToKeep(command, path, given, isHarmless(flags, line)) : undefined;
	} catch {
		return unreadable(entries, typed);
	}
}

/** True where no flag that every command has holds what may be a secret, by a slip. */
function isHarmless(
	{server = '', profile = '', org = '', workspace = '', project = ''}: GlobalFlags,
	line: string,
): boolean {
	const isAddress = server === '' || /[.:]|^localhost$/.test(server);
	// No key is as short as names are.
	return isAddress && [profile, org, workspace, project].every(name => name.length <= 20) && !hasKnownSecret(line);
}

function argumentsToKeep(command: Command, path: string, given: readonly string[], isPlain: boolean): Part | undefined {
	const values = readArguments(path, command, given);
	const places = (command.positional ?? [])
		.filter(name => name !== command.secret)
		.flatMap(name => harmlessValue(command, name, values[name]));
	const isHidden = values[command.secret ?? ''] !== undefined;
	const isWhole = !isHidden && given.length === places.length && isPlain;
	return isWhole ? undefined : {text: [`/${path}`, ...places].join(' '), isHidden};
}

/** A value that stands where it should; where a provider should, a key often does. */
function harmlessValue({completes}: Command, name: string, value: unknown): readonly string[] {
	if (typeof value !== 'string') {
		return [];
	}

	const isProvider = completes?.[name] === 'provider';
	return isProvider && !isProviderName(value.toLowerCase()) ? [] : [isProvider ? value.toLowerCase() : value];
}

function unreadable(entries: readonly Entry[], typed: string): Part | undefined {
	const [name = '', second = '', ...others] = typed.trim().split(/\s+/);
	const known = meant(entries, name, second);
	if (!takesSecret(entries, known)) {
		return undefined;
	}

	const isNamed = second === '' || hasVerb(entries, known, second);
	const isMisspelt = !entries.some(entry => namesOf(entry).includes(known));
	const text = [`/${known}`, ...(isNamed ? [second] : [])].filter(Boolean).join(' ');
	return isNamed && others.length === 0 && !isMisspelt
		? undefined
		: {text, isHidden: others.length > 0 || !isNamed, isMisspelt};
}

function namesOf({name, aliases = []}: Entry): readonly string[] {
	return [name, ...aliases];
}

/** The name of the command that was meant by a word, where that is certain; else the word itself. */
function meant(entries: readonly Entry[], word: string, verb: string | undefined): string {
	const lower = word.toLowerCase();
	// `api-key` is a noun of its own, which sets nothing.
	const name = lower === 'api-key' && /^(?:set|add)$/i.test(verb ?? '') ? 'keys' : lower;
	const other = Object.hasOwn(alsoCalled, name) ? (alsoCalled[name] ?? name) : name;
	return entries.some(entry => namesOf(entry).includes(other)) ? other : word;
}

/** A verb in small letters; any other word may be a value, whose letters count. */
function lowerWhereVerb(entries: readonly Entry[], word: string): string {
	const lower = word.toLowerCase();
	return entries.some(entry => isNoun(entry) && entry.verbs.some(verb => namesOf(verb).includes(lower))) ? lower : word;
}

function hasVerb(entries: readonly Entry[], name: string, word: string): boolean {
	return entries.some(
		entry =>
			namesOf(entry).includes(name) && isNoun(entry) && entry.verbs.some(verb => verb.name === word.toLowerCase()),
	);
}

/** True where `word` is, or was probably meant to be, a command that takes a secret. */
function takesSecret(entries: readonly Entry[], word: string): boolean {
	return entries.some(
		entry =>
			(isNoun(entry) ? entry.verbs.some(({secret}) => secret) : entry.secret) &&
			closest(word.toLowerCase(), namesOf(entry)),
	);
}
