import {isProviderName} from '../core/model.ts';
import {redactKnown} from '../core/secrets/redact.ts';
import {redactPositions} from '../core/secrets/redact-positions.ts';
import {mask} from '../core/secrets/secret.ts';
import {hasKnownSecret} from '../core/secrets/secret-kinds.ts';
import {readArguments} from './arguments.ts';
import {closest} from './closest.ts';
import {type Command, type Entry, type GlobalFlags, isNoun} from './context.ts';
import {takeGlobalFlags} from './global-flags.ts';
import {findCommand} from './table.ts';
import {splitWords} from './words.ts';

/** A command after a slash, or as typed in a shell. White space of any kind separates words, line ends too. */
const commandLine = /^\s*(?:\/\s*|(?:service|svc)\s+)(\S[\s\S]*)$/i;

/** What users type for commands with a secret. */
const alsoCalled: Readonly<Record<string, string>> = {
	key: 'keys',
	apikey: 'keys',
	apikeys: 'keys',
	'api-keys': 'keys',
	signin: 'login',
	'sign-in': 'login',
	'log-in': 'login',
	auth: 'login',
};

/** Returns the line as it may be shown: a secret argument becomes `***`, however it was given (SAFETY 11). */
export function withoutSecret(entries: readonly Entry[], line: string): string {
	const found = harmlessPart(entries, line);
	return found ? [found.text, ...(found.isHidden ? [mask] : [])].join(' ') : withoutPositions(line);
}

/**
 * Returns the part of a prompt that may be saved, '' for none: the harmless part of a command with a secret, and any other
 * text without credentials of known kinds (SAFETY 8, 11). A prompt may contain a command among other lines.
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

	// A misspelt command may be any command, so nothing of it is saved.
	return /^\s*\//.test(line) && hasKnownSecret(line) ? '' : (found?.text ?? withoutPositions(line));
}

/** Hides what the flags of a command line show to be a credential: `--env TOKEN=…`. */
function withoutPositions(line: string): string {
	return commandLine.test(line) ? redactPositions(line) : line;
}

type Part = {readonly text: string; readonly isHidden: boolean; readonly isMisspelt?: boolean};

/**
 * Returns the part of a command line without its secret; undefined if there is no secret. The options of a command with a
 * secret are left out, because a typo can make the secret the value of one. Of a line that can't be parsed, such as one with
 * an open quote, only the name and the verb stay.
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

/** True if no global flag has a value that may be a secret, after a typo. */
function isHarmless(
	{server = '', profile = '', org = '', workspace = '', project = ''}: GlobalFlags,
	line: string,
): boolean {
	const isAddress = server === '' || /[.:]|^localhost$/.test(server);
	// Keys are longer than names.
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

/** Returns a value in its proper position. In place of a provider users often type the key. */
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

/** Returns the name of the command that a word certainly means; else the word itself. */
function meant(entries: readonly Entry[], word: string, verb: string | undefined): string {
	const lower = word.toLowerCase();
	// `api-key` is a noun of its own, without `set`.
	const name = lower === 'api-key' && /^(?:set|add)$/i.test(verb ?? '') ? 'keys' : lower;
	const other = Object.hasOwn(alsoCalled, name) ? (alsoCalled[name] ?? name) : name;
	return entries.some(entry => namesOf(entry).includes(other)) ? other : word;
}

/** Returns a verb in lower case. Any other word may be a value, so its case stays. */
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

/** True if `word` is, or probably means, a command with a secret. */
function takesSecret(entries: readonly Entry[], word: string): boolean {
	return entries.some(
		entry =>
			(isNoun(entry) ? entry.verbs.some(({secret}) => secret) : entry.secret) &&
			closest(word.toLowerCase(), namesOf(entry)),
	);
}
