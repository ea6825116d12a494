import {efforts} from '../core/effort.ts';
import {closest} from './closest.ts';
import type {ValueKind} from './completion/known-values.ts';

/** A flag as help, completion and parsing read it. */
export type Flag = {
	/** Every way to write it, in the order shown; the long one is last. */
	readonly names: readonly string[];
	/** The placeholder of its value in help; left out for a flag without a value. */
	readonly value?: string;
	/** True if the value may be left out. */
	readonly isValueOptional?: true;
	/** One line without a full stop. */
	readonly summary: string;
	/** The words that its value may be. */
	readonly choices?: readonly string[];
	/** What its values are, for completion. */
	readonly completes?: ValueKind;
	/** True if all its values count; of any other flag, the last one does. */
	readonly isRepeatable?: boolean;
	/** True if its value may be empty. */
	readonly takesEmpty?: true;
	/** True if it needs `-p`. */
	readonly needsPrint?: true;
};

/** Flags by what they set, in the order shown. */
export type FlagTable<Key extends string = string> = Readonly<Record<Key, Flag>>;

const formats = ['text', 'json', 'stream-json', 'stream-json-old'] as const;
export type OutputFormat = (typeof formats)[number];

/** How standard input is used beside a prompt: by what it is, to its end in any case, or not at all. */
const stdinModes = ['auto', 'wait', 'ignore'] as const;
export type StdinMode = (typeof stdinModes)[number];

const shared = {
	profile: {names: ['--profile'], value: 'name', summary: 'Use this profile', completes: 'profile'},
	insecureHttp: {names: ['--insecure-http'], summary: 'Allow plain http beyond this machine'},
	accessible: {names: ['--accessible'], summary: 'Print line by line and in words, for screen readers'},
} as const satisfies FlagTable;

/** The flags of a line without a command, in the order shown. */
const runFlagTable = {
	prompt: {
		names: ['-p', '--print'],
		value: '"prompt"',
		isValueOptional: true,
		summary: 'Answer once, without the app; piped input is added',
	},
	continue: {names: ['-c', '--continue'], summary: 'Resume the latest session of this folder'},
	resume: {
		names: ['-r', '--resume'],
		value: '[id]',
		isValueOptional: true,
		summary: 'Resume a session; omit the id to select one',
		completes: 'saved-session',
	},
	model: {names: ['-m', '--model'], value: 'provider/name', summary: 'Use this model', completes: 'model'},
	agent: {
		names: ['--agent'],
		value: '"command"',
		summary: 'Let another agent answer, by its name or its command',
	},
	agentSandbox: {names: ['--agent-sandbox'], summary: 'Hold that agent in a sandbox, with the network'},
	effort: {
		names: ['--effort'],
		value: 'level',
		summary: 'How much the model thinks: low, medium, high or max',
		choices: efforts,
	},
	format: {
		names: ['--output-format'],
		value: 'format',
		summary: 'What -p prints: text, json or stream-json',
		choices: formats,
		needsPrint: true,
	},
	turns: {
		names: ['--max-turns'],
		value: 'n',
		summary: 'End a -p run after n model calls (default 100)',
		needsPrint: true,
	},
	budget: {
		names: ['--budget'],
		value: 'usd',
		summary: 'End a -p run that has cost this many dollars',
		needsPrint: true,
	},
	approve: {
		names: ['--approve'],
		value: 'mode',
		summary: 'What to allow without asking: never, edits or all',
		choices: ['never', 'edits', 'all'],
	},
	allow: {
		names: ['--allow'],
		value: '"rule"',
		isRepeatable: true,
		summary: 'Allow what a rule covers, as run_command(npm test *)',
	},
	stdin: {
		names: ['--stdin'],
		value: 'mode',
		summary: 'How -p reads piped input: auto, wait or ignore',
		choices: stdinModes,
		needsPrint: true,
	},
	waitJobs: {
		names: ['--wait-jobs'],
		summary: 'Let background jobs of a -p run end by themselves',
		needsPrint: true,
	},
	strict: {
		names: ['--strict'],
		summary: 'Exit with 3 if a -p run had warnings or refusals',
		needsPrint: true,
	},
	trust: {names: ['--trust'], summary: 'Trust the files of this folder for this run'},
	...shared,
	version: {names: ['-v', '--version'], summary: 'Print the version'},
	help: {names: ['-h', '--help'], summary: 'Print this help'},
} as const satisfies FlagTable;

/** The flags of every command, in the order shown. */
const globalFlagTable = {
	json: {names: ['--json'], summary: 'Output JSON'},
	exact: {names: ['--exact'], summary: 'Show times and ids in full'},
	server: {names: ['--server'], value: 'url', summary: 'Use this server', completes: 'server'},
	profile: shared.profile,
	org: {names: ['--org'], value: 'slug', summary: 'Use this organization', completes: 'org'},
	workspace: {names: ['--workspace'], value: 'slug', summary: 'Use this workspace', completes: 'workspace'},
	project: {names: ['--project'], value: 'slug', summary: 'Use this project', completes: 'project'},
	insecureHttp: shared.insecureHttp,
	accessible: shared.accessible,
	help: {names: ['-h', '--help'], summary: 'Show its usage'},
} as const satisfies FlagTable;

export type RunFlag = keyof typeof runFlagTable;
export type GlobalFlag = keyof typeof globalFlagTable;
/** The words that the value of a flag may be. */
export type RunChoice<Key extends RunFlag> = (typeof runFlagTable)[Key] extends {choices: readonly (infer Word)[]}
	? Word
	: never;

export const runFlags: FlagTable<RunFlag> = runFlagTable;
export const globalFlags: FlagTable<GlobalFlag> = globalFlagTable;

/** Returns the long name of a flag, with its dashes. */
export function longName({names}: Flag): string {
	return names.at(-1) ?? '';
}

/** A command line as a table of flags reads it. */
export type FlagReading<Key extends string> = {
	/** The values of each flag that was given, in order; '' for none. */
	readonly given: ReadonlyMap<Key, readonly string[]>;
	/** The words before `--` that the table doesn't take, in order: arguments, and other flags. */
	readonly words: readonly string[];
	/** The words after `--`; undefined without it. */
	readonly behind: readonly string[] | undefined;
	/** The first flag that isn't in the table, without its value. */
	readonly unknown: string | undefined;
	/** A sentence about the first flag that lacks its value, or has one and takes none. */
	readonly fault: string | undefined;
	/** The flag whose value would be the next word. */
	readonly open: Key | undefined;
};

/**
 * Reads words by a table of flags. Never throws.
 *
 * A word that begins with a dash is a flag, whatever the table, except `-` and a negative number; so readers with different
 * tables agree. `--` ends the flags. A value follows as `--flag value` or `--flag=value`, and after a letter also as `-fvalue`
 * or `-f=value`. Letters can be joined: `-cp` is `-c -p`. The next word is no value if it is a flag, but several words in one
 * that begin with a dash are text.
 */
export function readFlags<Key extends string>(words: readonly string[], table: FlagTable<Key>): FlagReading<Key> {
	const end = words.indexOf('--');
	const before = end < 0 ? words : words.slice(0, end);
	const given = new Map<Key, readonly string[]>();
	const others: string[] = [];
	let unknown: string | undefined;
	let fault: string | undefined;
	let open: Key | undefined;
	for (let index = 0; index < before.length; index++) {
		const word = before[index] ?? '';
		const flags = isFlag(word) ? flagsIn(word, table) : [word];
		open = undefined;
		for (const flag of flags) {
			const name = nameIn(flag);
			const key = keyOf(name, table);
			if (key === undefined) {
				others.push(word);
				unknown ??= isFlag(word) ? name : undefined;
				continue;
			}

			const {value: takesValue, isValueOptional, takesEmpty} = table[key];
			const inline = flag === name ? undefined : flag.slice(name.length + 1);
			const next = takesValue && inline === undefined && flag === flags.at(-1) ? before[index + 1] : undefined;
			const value = inline ?? (next !== undefined && isValue(next, table) ? next : undefined);
			index += value === inline ? 0 : 1;
			open = takesValue && value === undefined && index + 1 === words.length ? key : undefined;
			if (takesValue ? isValueOptional || value || (takesEmpty && value === '') : inline === undefined) {
				given.set(key, [...(given.get(key) ?? []), value ?? '']);
			} else {
				fault ??= `${name} ${takesValue ? 'needs a' : 'takes no'} value.`;
			}
		}
	}

	return {given, words: others, behind: end < 0 ? undefined : words.slice(end + 1), unknown, fault, open};
}

function isFlag(word: string): boolean {
	return /^-(?!$|\.?\d)/.test(word);
}

/** Returns true for the value of a flag: any word that isn't a flag, and several words that don't begin as one of the table. */
function isValue(word: string, table: FlagTable): boolean {
	return !isFlag(word) || (/\S\s+\S/.test(word) && !keyOf(nameIn(word), table));
}

function nameIn(word: string): string {
	return word.split('=', 1)[0] ?? '';
}

/** Returns the key of a flag in a table, by any of its names; undefined without one. */
export function keyOf<Key extends string>(name: string, table: FlagTable<Key>): Key | undefined {
	for (const key in table) {
		if (table[key].names.includes(name)) {
			return key;
		}
	}

	return undefined;
}

/** Divides joined letters: `-cpm=x` is `-c`, `-p` and `-m=x`. Every other word is one flag, if it is one. */
function flagsIn(word: string, table: FlagTable): readonly string[] {
	// `-model` was meant as `--model`, not as `-m odel`.
	if (word.startsWith('--') || keyOf(`-${nameIn(word)}`, table)) {
		return [word];
	}

	const flags: string[] = [];
	for (let at = 1; at < word.length; at++) {
		const letter = `-${word.charAt(at)}`;
		const flag = table[keyOf(letter, table) ?? ''];
		const rest = word.slice(at + 1);
		if (!flag) {
			return [word];
		}

		// A value that may be left out needs the `=`: a misspelt `--print` must not become a prompt that costs.
		if (rest.startsWith('=') || (rest && flag.value && !flag.isValueOptional)) {
			return [...flags, `${letter}=${rest.replace(/^=/, '')}`];
		}

		flags.push(letter);
	}

	return flags;
}

/** Returns the sentence about an unknown flag, with the nearest one of a table. `place` says what doesn't know it. */
export function unknownFlag(name: string, table: FlagTable, place = ''): string {
	const known = Object.values(table).map(flag => longName(flag).slice(2));
	const near = closest(name.replace(/^-+/, ''), known);
	return `Unknown flag ${name}${place}.${near ? ` Did you mean --${near}?` : ''}`;
}
