import type {UnaskedMode} from '../agent/approval/unasked.ts';
import {type Effort, efforts} from '../core/effort.ts';
import {AppError} from '../core/error.ts';
import {parseUsd} from '../core/ledger/parse-usd.ts';
import {parseModelId} from '../core/model.ts';
import {closest} from './closest.ts';
import {
	approvals,
	findFlag,
	formats,
	globalFlags,
	longName,
	type OutputFormat,
	type RunFlag,
	runFlags,
	type StdinMode,
	splitFlag,
	stdinModes,
} from './flags.ts';
import {lastWord} from './words.ts';

/** The flags of a run from the command line. */
export type RunFlags = {
	readonly model: string | undefined;
	readonly effort: Effort | undefined;
	/** An id or prefix; `latest` for the newest session of this folder. */
	readonly resume: string | undefined;
	readonly maxTurns: number | undefined;
	readonly budgetUsd: number | undefined;
	/** What a run without a screen may do without asking; nothing if it is left out. */
	readonly approve: UnaskedMode | undefined;
	/** Rules that allow acts without asking, as given. */
	readonly allow: readonly string[];
	/** True to use the instructions, hooks and settings of the folder in this run without asking. */
	readonly trust: boolean;
	readonly profile: string | undefined;
	/** Plain http beyond this machine is allowed (SAFETY 9). */
	readonly insecureHttp: boolean;
	/** True to print line by line and in words. */
	readonly accessible: boolean;
};

/** What `-p` alone takes. */
type OnceFlags = {
	readonly prompt: string | undefined;
	/** True for a prompt behind `--`, which is text whatever it begins with. */
	readonly isVerbatim?: boolean;
	readonly format: OutputFormat;
	/** `auto` if left out. */
	readonly stdin?: StdinMode | undefined;
	/** True to wait for background jobs of the run. */
	readonly waitJobs?: boolean;
	/** True for an exit status that tells warnings and refusals. */
	readonly strict?: boolean;
};

/** What the program was asked to do. */
export type Invocation =
	/** `prompt` is the first prompt of the app; a verbatim one, behind `--`, is text whatever it begins with. */
	| ({readonly mode: 'app'; readonly pick: boolean; readonly prompt?: string; readonly isVerbatim?: boolean} & RunFlags)
	| ({readonly mode: 'once'} & OnceFlags & RunFlags)
	| {readonly mode: 'command'; readonly words: readonly string[]}
	/** What a shell completes: the words so far, the last one unfinished; it keeps `kept` characters of that one. */
	| {readonly mode: 'complete'; readonly words: readonly string[]; readonly kept: number}
	| {readonly mode: 'version'};

/** Stands between the values of a repeated flag: no argument contains it. */
const separator = '\0';

/** Values by flag; '' for a flag without one. `first` is the first prompt of the app, `verbatim` is set for one behind `--`. */
type GivenKey = RunFlag | 'first' | 'verbatim';
type Given = ReadonlyMap<GivenKey, string>;

/** Reads the command line. Throws `AppError("usage")` for unknown flags and invalid values. */
export function readInvocation(argv: readonly string[]): Invocation {
	return readCompletion(argv) ?? readCommand(argv) ?? readRun(readFlags(argv));
}

function readCompletion([first, second, ...rest]: readonly string[]): Invocation | undefined {
	if (first === '__complete' && second === '--') {
		return {mode: 'complete', words: rest, kept: 0};
	}

	if (first === '__complete' && second === '--line') {
		const [line = '', typed = ''] = rest;
		const {before, word} = lastWord(line);
		const kept = word.endsWith(typed) ? word.length - typed.length : 0;
		return {mode: 'complete', words: [...before, word].slice(1), kept};
	}

	return undefined;
}

function readCommand(argv: readonly string[]): Invocation | undefined {
	const [first] = argv;
	return first === undefined || first.startsWith('-') || isPrompt(first) ? undefined : {mode: 'command', words: argv};
}

function readRun(given: Given): Invocation {
	if (given.has('help')) {
		return {mode: 'command', words: ['help']};
	}

	if (given.has('version')) {
		return {mode: 'version'};
	}

	if (given.has('continue') && given.has('resume')) {
		throw new AppError('usage', "--continue and --resume can't be combined.", {hint: 'Pass one of them.'});
	}

	const run: RunFlags = {
		model: modelOf(given),
		effort: choiceOf(given, 'effort', efforts),
		resume: given.has('continue') ? 'latest' : given.get('resume') || undefined,
		maxTurns: countOf(given, 'turns'),
		budgetUsd: budgetOf(given),
		approve: choiceOf(given, 'approve', approvals),
		allow: given.get('allow')?.split(separator) ?? [],
		trust: given.has('trust'),
		profile: given.get('profile'),
		insecureHttp: given.has('insecureHttp'),
		accessible: given.has('accessible'),
	};
	const format = choiceOf(given, 'format', formats) ?? 'text';
	return given.has('prompt') ? readOnce(given, format, run) : readApp(given, run);
}

function readOnce(given: Given, format: OutputFormat, run: RunFlags): Invocation {
	if (given.has('first')) {
		throw new AppError('usage', 'Two prompts given.', {hint: 'Put the whole prompt in quotes after -p.'});
	}

	if (given.get('resume') === '') {
		throw new AppError('usage', '--resume needs an id with -p (not interactive).', {
			hint: 'Pass the id, or -c for the latest session of this folder.',
		});
	}

	const prompt = given.get('prompt') || undefined;
	return {
		mode: 'once',
		// A dash stands for standard input, as for other programs.
		prompt: prompt === '-' && !given.has('verbatim') ? undefined : prompt,
		...(given.has('verbatim') && {isVerbatim: true}),
		format,
		stdin: choiceOf(given, 'stdin', stdinModes),
		...(given.has('waitJobs') && {waitJobs: true}),
		...(given.has('strict') && {strict: true}),
		...run,
	};
}

function readApp(given: Given, run: RunFlags): Invocation {
	const [printing] = Object.entries(runFlags).filter(([key, flag]) => flag.needsPrint && given.has(key as RunFlag));
	if (printing) {
		throw new AppError('usage', `${longName(printing[1])} needs -p.`, {
			hint: 'Answer once without the app: `$ -p "prompt"`',
		});
	}

	const prompt = given.get('first');
	return {
		mode: 'app',
		pick: given.get('resume') === '',
		...(prompt !== undefined && {prompt}),
		...(given.has('verbatim') && {isVerbatim: true}),
		...run,
	};
}

/** True for several words in one argument. No command has that, so a misspelt command never becomes a prompt that costs. */
function isPrompt(argument: string): boolean {
	return /\S\s+\S/.test(argument);
}

function readFlags(argv: readonly string[]): Given {
	const given = new Map<GivenKey, string>();
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? '';
		if (word === '--' && index + 1 < argv.length) {
			readRest(argv.slice(index + 1), given);
			break;
		}

		if (!word.startsWith('-') && isPrompt(word) && !given.has('first') && !given.has('prompt')) {
			given.set('first', word);
			continue;
		}

		const [name, inline] = splitFlag(word);
		const found = findFlag(runFlags, name);
		if (!found) {
			throw unknownFlag(word, given);
		}

		const {key, flag} = found;
		if (!flag.value && inline !== undefined) {
			throw new AppError('usage', `${name} takes no value.`);
		}

		const next = flag.value && inline === undefined ? argv[index + 1] : undefined;
		const value = inline ?? (next !== undefined && isValueOf(key, next) ? next : undefined);
		if (flag.value && !value && !flag.isValueOptional) {
			throw new AppError('usage', `${name} needs a value.`);
		}

		index += inline === undefined && value !== undefined ? 1 : 0;
		const before = flag.isRepeatable ? given.get(key) : undefined;
		given.set(key, before === undefined ? (value ?? '') : `${before}${separator}${value ?? ''}`);
	}

	return given;
}

/** Reads what stands behind `--`, which ends the flags: a prompt, whatever it begins with. */
function readRest([prompt = '', extra]: readonly string[], given: Map<GivenKey, string>): void {
	if (extra !== undefined) {
		throw new AppError('usage', `Unexpected argument “${extra}”.`, {hint: 'Put the whole prompt in quotes.'});
	}

	given.set(given.get('prompt') === '' ? 'prompt' : 'first', prompt);
	given.set('verbatim', '');
}

/** True if the word behind a flag is its value. A prompt may begin with a dash, and a number may be negative. */
function isValueOf(key: RunFlag, word: string): boolean {
	const mayBe = key === 'prompt' || !word.startsWith('-') || /^-[\d.]/.test(word);
	return mayBe && word !== '--' && !findFlag(runFlags, word);
}

function unknownFlag(word: string, given: Given): AppError {
	const [name] = splitFlag(word);
	const commandFirst = 'Put the command before its flags.';
	if (!word.startsWith('-')) {
		const hint = given.has('prompt') || given.has('first') ? 'Put the whole prompt in quotes.' : commandFirst;
		return new AppError('usage', `Unexpected argument “${word}”.`, {hint});
	}

	const place = name === '--json' && given.has('prompt') ? 'With -p, pass --output-format json.' : commandFirst;
	const known = Object.values(runFlags).map(flag => longName(flag).slice(2));
	const near = closest(name.replace(/^-+/, ''), known);
	return new AppError('usage', `Unknown flag ${name}.${near ? ` Did you mean --${near}?` : ''}`, {
		hint: findFlag(globalFlags, name) ? place : 'Run `$ help` to see them all.',
	});
}

function modelOf(given: Given): string | undefined {
	const model = given.get('model');
	if (model === undefined) {
		return undefined;
	}

	const {provider, name} = parseModelId(model);
	return `${provider}/${name}`;
}

function budgetOf(given: Given): number | undefined {
	const text = given.get('budget');
	return text === undefined ? undefined : parseUsd(text);
}

function countOf(given: Given, key: RunFlag): number | undefined {
	const text = given.get(key);
	if (text === undefined) {
		return undefined;
	}

	const value = Number(text);
	if (text.trim() === '' || !Number.isInteger(value) || value <= 0) {
		throw new AppError('usage', `${longName(runFlags[key])} takes a positive whole number, not “${text}”.`);
	}

	return value;
}

function choiceOf<T extends string>(given: Given, key: RunFlag, values: readonly T[]): T | undefined {
	const text = given.get(key);
	const found = values.find(value => value === text);
	if (text !== undefined && !found) {
		throw new AppError('usage', `${longName(runFlags[key])} takes ${values.join(', ')}, not “${text}”.`);
	}

	return found;
}
