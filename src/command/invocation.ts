import {AppError} from '../core/error.ts';
import {parseModelId} from '../core/model.ts';
import {closest} from './closest.ts';
import {isGlobalFlag} from './global-flags.ts';
import {type RunFlag, runFlags} from './run-flags.ts';
import {lastWord} from './words.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';

export type ApprovalMode = 'never' | 'edits' | 'all';

/** How a run from the command line is told what to do. */
export type RunFlags = {
	readonly model: string | undefined;
	/** An id or prefix; `latest` for the newest session of this folder. */
	readonly resume: string | undefined;
	readonly maxTurns: number | undefined;
	readonly budgetUsd: number | undefined;
	/** What a run without a screen may do that somebody would be asked for; nothing where it is left out. */
	readonly approve: ApprovalMode | undefined;
	readonly profile: string | undefined;
	/** Plain http beyond this machine is allowed (SAFETY 9). */
	readonly insecureHttp: boolean;
};

/** What the program was asked to do. */
export type Invocation =
	/** `prompt` is what the app begins with. */
	| ({readonly mode: 'app'; readonly pick: boolean; readonly prompt?: string} & RunFlags)
	| ({readonly mode: 'once'; readonly prompt: string | undefined; readonly format: OutputFormat} & RunFlags)
	| {readonly mode: 'command'; readonly words: readonly string[]}
	/** What a shell asks while one types: the words so far, the last one unfinished; `kept` characters of that one stay. */
	| {readonly mode: 'complete'; readonly words: readonly string[]; readonly kept: number}
	| {readonly mode: 'version'};

export const formats: readonly OutputFormat[] = ['text', 'json', 'stream-json'];
export const approvals: readonly ApprovalMode[] = ['never', 'edits', 'all'];

/** These may stand alone: `-p` takes its prompt from standard input then, `--resume` lets one choose. */
const optional: ReadonlySet<RunFlag> = new Set(['prompt', 'resume']);
const alone: ReadonlySet<RunFlag> = new Set(['continue', 'insecure', 'version', 'help']);

/** Reads the command line. Throws `usage` for unknown flags and values that do not fit. */
export function readInvocation(argv: readonly string[]): Invocation {
	const [first, second, ...rest] = argv;
	if (first === '__complete' && second === '--') {
		return {mode: 'complete', words: rest, kept: 0};
	}

	if (first === '__complete' && second === '--line') {
		const [line = '', typed = ''] = rest;
		const {before, word} = lastWord(line);
		const kept = word.endsWith(typed) ? word.length - typed.length : 0;
		return {mode: 'complete', words: [...before, word].slice(1), kept};
	}

	if (first !== undefined && !first.startsWith('-') && !isPrompt(first)) {
		return {mode: 'command', words: argv};
	}

	const given = readFlags(argv);
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
		model: checkModel(given.get('model')),
		resume: given.has('continue') ? 'latest' : given.get('resume') || undefined,
		maxTurns: number('--max-turns', given.get('turns'), value => Number.isInteger(value) && value >= 1),
		budgetUsd: number('--budget', given.get('budget'), value => value > 0),
		approve: oneOf('--approve', given.get('approve'), approvals),
		profile: given.get('profile'),
		insecureHttp: given.has('insecure'),
	};
	const format = oneOf('--output-format', given.get('format'), formats);
	if (given.has('prompt')) {
		if (given.has('first')) {
			throw new AppError('usage', 'Two prompts given.', {hint: 'Put the whole prompt in quotes after -p.'});
		}

		if (given.get('resume') === '') {
			throw new AppError('usage', '--resume needs an id with -p (not interactive).', {
				hint: 'Pass the id, or -c for the latest session of this folder.',
			});
		}

		return {mode: 'once', prompt: given.get('prompt') || undefined, format: format ?? 'text', ...run};
	}

	for (const [meaning, flag] of [
		['format', '--output-format'],
		['turns', '--max-turns'],
		['budget', '--budget'],
	] as const) {
		if (given.has(meaning)) {
			throw new AppError('usage', `${flag} needs -p.`, {
				hint: 'Answer once without the app: `$ -p "prompt"`',
			});
		}
	}

	const prompt = given.get('first');
	return {mode: 'app', pick: given.get('resume') === '', ...(prompt !== undefined && {prompt}), ...run};
}

/** True for several words in one argument, which no command has: a command is never taken for a prompt that costs. */
function isPrompt(argument: string): boolean {
	return /\S\s+\S/.test(argument);
}

/** Flags by meaning; one without a value has the empty string. `first` is a prompt for the app. */
function readFlags(argv: readonly string[]): ReadonlyMap<RunFlag | 'first', string> {
	const given = new Map<RunFlag | 'first', string>();
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? '';
		const [flag = '', inline] = word.startsWith('--') ? splitOnce(word) : [word];
		if (!word.startsWith('-') && isPrompt(word) && !given.has('first') && !given.has('prompt')) {
			given.set('first', word);
			continue;
		}

		const meaning = Object.hasOwn(runFlags, flag) ? runFlags[flag as keyof typeof runFlags] : undefined;
		if (!meaning) {
			throw unknownFlag(word, given);
		}

		if (alone.has(meaning)) {
			if (inline !== undefined) {
				throw new AppError('usage', `${flag} takes no value.`);
			}

			given.set(meaning, '');
			continue;
		}

		const next = argv[index + 1];
		const follows =
			inline === undefined &&
			next !== undefined &&
			(meaning === 'prompt' || !next.startsWith('-') || /^-[\d.]/.test(next)) &&
			!Object.hasOwn(runFlags, next);
		const value = inline ?? (follows ? next : undefined);
		if (!value && !optional.has(meaning)) {
			throw new AppError('usage', `${flag} needs a value.`);
		}

		index += follows ? 1 : 0;
		given.set(meaning, value ?? '');
	}

	return given;
}

function splitOnce(word: string): readonly [string, string | undefined] {
	const at = word.indexOf('=');
	return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function unknownFlag(word: string, given: ReadonlyMap<RunFlag | 'first', string>): AppError {
	const [flag] = splitOnce(word);
	const commandFirst = 'Put the command before its flags.';
	if (!word.startsWith('-')) {
		return new AppError('usage', `Unexpected argument “${word}”.`, {
			hint: given.has('prompt') ? 'Put the whole prompt in quotes.' : commandFirst,
		});
	}

	const known = Object.keys(runFlags).filter(name => name.startsWith('--'));
	const near = closest(
		flag.replace(/^-+/, ''),
		known.map(name => name.slice(2)),
	);
	return new AppError('usage', `Unknown flag ${flag}.${near ? ` Did you mean --${near}?` : ''}`, {
		hint: isGlobalFlag(flag) ? commandFirst : 'Run `$ help` to see them all.',
	});
}

function checkModel(model: string | undefined): string | undefined {
	if (model !== undefined) {
		const {provider, name} = parseModelId(model);
		return `${provider}/${name}`;
	}

	return undefined;
}

function number(flag: string, text: string | undefined, fits: (value: number) => boolean): number | undefined {
	if (text === undefined) {
		return undefined;
	}

	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value) || !fits(value)) {
		throw new AppError(
			'usage',
			`${flag} takes a positive ${flag === '--max-turns' ? 'whole number' : 'number'}, not “${text}”.`,
		);
	}

	return value;
}

function oneOf<T extends string>(flag: string, text: string | undefined, values: readonly T[]): T | undefined {
	const found = values.find(value => value === text);
	if (text !== undefined && !found) {
		throw new AppError('usage', `${flag} takes ${values.join(', ')}, not “${text}”.`);
	}

	return found;
}
