import type {Effort} from '../core/effort.ts';
import {AppError} from '../core/error.ts';
import {parseUsd} from '../core/ledger/parse-usd.ts';
import {parseModelId} from '../core/model.ts';
import {
	type FlagReading,
	globalFlags,
	keyOf,
	longName,
	type OutputFormat,
	type RunChoice,
	type RunFlag,
	readFlags,
	runFlags,
	type StdinMode,
	unknownFlag,
} from './flags.ts';
import {lastWord} from './words.ts';

/** The flags of a run from the command line. */
export type RunFlags = {
	readonly model: string | undefined;
	readonly effort: Effort | undefined;
	/** The name of another agent that answers, or its command. */
	readonly agent?: string;
	/** True to hold that agent in a sandbox. */
	readonly agentSandbox?: true;
	/** An id or prefix; `latest` for the newest session of this folder. */
	readonly resume: string | undefined;
	readonly maxTurns: number | undefined;
	readonly budgetUsd: number | undefined;
	/** What a run without a screen may do without asking; nothing if it is left out. */
	readonly approve: RunChoice<'approve'> | undefined;
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

type Reading = FlagReading<RunFlag>;

/** Reads the command line. Throws `AppError("usage")` for unknown flags and invalid values. */
export function readInvocation(argv: readonly string[]): Invocation {
	return readCompletion(argv) ?? readCommand(argv) ?? readRun(readFlags(argv, runFlags));
}

function readCompletion([first, second, ...words]: readonly string[]): Invocation | undefined {
	if (first !== '__complete') {
		return undefined;
	}

	if (second === '--line') {
		const [line = '', typed = ''] = words;
		const {before, word} = lastWord(line);
		const kept = word.endsWith(typed) ? word.length - typed.length : 0;
		return {mode: 'complete', words: [...before, word].slice(1), kept};
	}

	return second === '--' ? {mode: 'complete', words, kept: 0} : undefined;
}

function readCommand(argv: readonly string[]): Invocation | undefined {
	const at = commandIndex(argv);
	return at < 0 ? undefined : {mode: 'command', words: argv.slice(at).toSpliced(1, 0, ...argv.slice(0, at))};
}

/** Returns where the name of a command stands, behind no flags but those of every command; -1 without one. */
export function commandIndex(argv: readonly string[]): number {
	const at = argv.findIndex((_, index) => readFlags(argv.slice(0, index + 1), globalFlags).words.length > 0);
	return /^-|\S\s+\S/.test(argv[at] ?? '-') ? -1 : at;
}

function readRun(reading: Reading): Invocation {
	const {given} = reading;
	if (given.has('help')) {
		return {mode: 'command', words: ['help']};
	}

	refuseOthers(reading);
	if (given.has('version')) {
		return {mode: 'version'};
	}

	if (given.has('continue') && given.has('resume')) {
		throw usage("--continue and --resume can't be combined.", 'Pass one of them.');
	}

	const run: RunFlags = {
		model: readValue(given, 'model', modelOf),
		effort: choiceOf(given, 'effort'),
		...agentOf(given),
		resume: given.has('continue') ? 'latest' : lastOf(given, 'resume') || undefined,
		maxTurns: readValue(given, 'turns', turnsOf),
		budgetUsd: readValue(given, 'budget', parseUsd),
		approve: choiceOf(given, 'approve'),
		allow: given.get('allow') ?? [],
		trust: given.has('trust'),
		profile: lastOf(given, 'profile'),
		insecureHttp: given.has('insecureHttp'),
		accessible: given.has('accessible'),
	};
	const format = choiceOf(given, 'format') ?? 'text';
	return given.has('prompt') ? readOnce(reading, format, run) : readApp(reading, run);
}

function readOnce(reading: Reading, format: OutputFormat, run: RunFlags): Invocation {
	const {given, behind} = reading;
	const prompt = promptOf(reading);
	if (lastOf(given, 'resume') === '') {
		throw usage(
			'--resume needs an id with -p (not interactive).',
			'Pass the id, or -c for the latest session of this folder.',
		);
	}

	return {
		mode: 'once',
		// A dash stands for standard input, as for other programs.
		prompt: prompt === '-' && !behind ? undefined : prompt || undefined,
		...(behind && {isVerbatim: true}),
		format,
		stdin: choiceOf(given, 'stdin'),
		...(given.has('waitJobs') && {waitJobs: true}),
		...(given.has('strict') && {strict: true}),
		...run,
	};
}

function readApp(reading: Reading, run: RunFlags): Invocation {
	const {given, behind} = reading;
	const [printing] = Object.entries(runFlags).filter(([key, flag]) => flag.needsPrint && given.has(key as RunFlag));
	if (printing) {
		throw usage(`${longName(printing[1])} needs -p.`, 'Answer once without the app: `$ -p "prompt"`');
	}

	const prompt = promptOf(reading);
	return {
		mode: 'app',
		pick: lastOf(given, 'resume') === '',
		...(prompt !== undefined && {prompt}),
		...(behind && {isVerbatim: true}),
		...run,
	};
}

const quoteAll = 'Put the whole prompt in quotes.';

/** Returns the prompt: after `-p`, among the flags, or after `--`. Throws AppError("usage") for two of them. */
function promptOf({given, words, behind}: Reading): string | undefined {
	const [prompt, other] = [lastOf(given, 'prompt') || undefined, words[0], behind?.[0]].filter(
		text => text !== undefined,
	);
	if (other !== undefined) {
		throw usage('Two prompts given.', quoteAll);
	}

	return prompt;
}

/** True for several words in one argument. No command has that, so a misspelt command never becomes a prompt that costs. */
function isPrompt(argument: string): boolean {
	return /\S\s+\S/.test(argument);
}

/** Throws AppError("usage") for what can't stand on a line without a command. */
function refuseOthers({given, words, behind, unknown = behind?.length === 0 ? '--' : undefined, fault}: Reading): void {
	if (fault) {
		throw usage(fault);
	}

	if (unknown !== undefined) {
		const place =
			unknown === '--json' && given.has('prompt') ? 'With -p, pass --output-format json.' : 'Add a command.';
		const hint = keyOf(unknown, globalFlags) ? place : 'Run `$ help` to see them all.';
		throw usage(unknownFlag(unknown, runFlags), hint);
	}

	// A bare -p says that the word is a prompt.
	const isOnce = lastOf(given, 'prompt') === '';
	const stray = words.find((word, index) => index > 0 || !(isOnce || isPrompt(word))) ?? behind?.[1];
	if (stray !== undefined) {
		const hasPrompt = given.has('prompt') || words.some(isPrompt) || behind || given.size === 0;
		throw usage(`Unexpected argument “${stray}”.`, hasPrompt ? quoteAll : 'Put the command first.');
	}
}

function usage(message: string, hint?: string): AppError {
	return new AppError('usage', message, hint ? {hint} : {});
}

function refused(key: RunFlag, taken: string, text: string): AppError {
	return usage(`${longName(runFlags[key])} takes ${taken}, not “${text}”.`);
}

/** Returns the value of a flag, '' for one without; undefined if it wasn't given. */
function lastOf(given: Reading['given'], key: RunFlag): string | undefined {
	return given.get(key)?.at(-1);
}

function readValue<T>(given: Reading['given'], key: RunFlag, read: (text: string) => T): T | undefined {
	const text = lastOf(given, key);
	return text === undefined ? undefined : read(text);
}

function modelOf(text: string): string {
	const {provider, name} = parseModelId(text);
	return `${provider}/${name}`;
}

function agentOf(given: Reading['given']): Pick<RunFlags, 'agent' | 'agentSandbox'> {
	const agent = lastOf(given, 'agent');
	if (agent === undefined && given.has('agentSandbox')) {
		throw usage('--agent-sandbox needs --agent.', 'Name the agent: `$ --agent opencode --agent-sandbox`');
	}

	return {...(agent !== undefined && {agent}), ...(given.has('agentSandbox') && {agentSandbox: true})};
}

function turnsOf(text: string): number {
	const value = Number(text);
	if (text.trim() === '' || !Number.isInteger(value) || value <= 0) {
		throw refused('turns', 'a positive whole number', text);
	}

	return value;
}

function choiceOf<Key extends RunFlag>(given: Reading['given'], key: Key): RunChoice<Key> | undefined {
	const {choices = []} = runFlags[key];
	return readValue(given, key, text => {
		if (!choices.includes(text)) {
			throw refused(key, choices.join(', '), text);
		}

		return text as RunChoice<Key>;
	});
}
