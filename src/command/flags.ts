import type {UnaskedMode} from '../agent/approval/unasked.ts';
import {efforts} from '../core/effort.ts';
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
	/** True if it may be given several times. */
	readonly isRepeatable?: true;
	/** True if it needs `-p`. */
	readonly needsPrint?: true;
};

export const formats = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof formats)[number];

/** How standard input is used beside a prompt: by what it is, to its end in any case, or not at all. */
export const stdinModes = ['auto', 'wait', 'ignore'] as const;
export type StdinMode = (typeof stdinModes)[number];

export const approvals = ['never', 'edits', 'all'] as const satisfies readonly UnaskedMode[];

const shared = {
	profile: {names: ['--profile'], value: 'name', summary: 'Use this profile', completes: 'profile'},
	insecureHttp: {names: ['--insecure-http'], summary: 'Allow plain http beyond this machine'},
	accessible: {names: ['--accessible'], summary: 'Print line by line and in words, for screen readers'},
} as const satisfies Readonly<Record<string, Flag>>;

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
		choices: approvals,
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
} as const satisfies Readonly<Record<string, Flag>>;

/** The flags of every command, in the order shown. */
const globalFlagTable = {
	json: {names: ['--json'], summary: 'Output JSON'},
	exact: {names: ['--exact'], summary: 'Show times in full, not how long ago they were'},
	server: {names: ['--server'], value: 'url', summary: 'Use this server', completes: 'server'},
	profile: shared.profile,
	org: {names: ['--org'], value: 'slug', summary: 'Use this organization', completes: 'org'},
	workspace: {names: ['--workspace'], value: 'slug', summary: 'Use this workspace', completes: 'workspace'},
	project: {names: ['--project'], value: 'slug', summary: 'Use this project', completes: 'project'},
	insecureHttp: shared.insecureHttp,
	accessible: shared.accessible,
	help: {names: ['--help'], summary: 'Show its usage'},
} as const satisfies Readonly<Record<string, Flag>>;

export type RunFlag = keyof typeof runFlagTable;
export type GlobalFlag = keyof typeof globalFlagTable;

export const runFlags: Readonly<Record<RunFlag, Flag>> = runFlagTable;
export const globalFlags: Readonly<Record<GlobalFlag, Flag>> = globalFlagTable;

/** Returns the key and the row of the flag that is written so; undefined if there is none. */
export function findFlag<Key extends string>(
	flags: Readonly<Record<Key, Flag>>,
	name: string,
): {readonly key: Key; readonly flag: Flag} | undefined {
	for (const key in flags) {
		if (flags[key].names.includes(name)) {
			return {key, flag: flags[key]};
		}
	}

	return undefined;
}

/** Returns the long name of a flag, with its dashes. */
export function longName({names}: Flag): string {
	return names.at(-1) ?? '';
}

/** Returns a flag as help shows it: `-r, --resume [id]`. */
export function flagUsage({names, value}: Flag): string {
	return [names.join(', '), value].filter(Boolean).join(' ');
}

/** Splits `--flag=value` at its first `=`. Other words have no inline value. */
export function splitFlag(word: string): readonly [name: string, value: string | undefined] {
	const at = word.startsWith('--') ? word.indexOf('=') : -1;
	return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
