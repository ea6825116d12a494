import type {Hook, HookEvent} from '../config/project/settings-file.ts';
import {headAndTail} from '../core/cut-text.ts';
import type {Debug} from '../core/debug.ts';
import {AppError, isAbort, messageOf} from '../core/error.ts';
import {type JsonObject, mapStrings} from '../core/json.ts';
import type {RunEndReason} from '../core/session/event.ts';
import {runChild} from './tools/child/run-child.ts';
import type {CommandSession} from './tools/command/command-session.ts';
import {type Refusal, refusedBySandbox} from './tools/command/refused-by-sandbox.ts';

/** What hooks are run for. */
export type Occasion =
	| {readonly event: 'run-start'}
	| {readonly event: 'before-tool'; readonly tool: string; readonly arguments: JsonObject}
	| {
			readonly event: 'after-tool';
			readonly tool: string;
			readonly arguments: JsonObject;
			/** What the model reads. */
			readonly result: string;
			readonly failed: boolean;
	  }
	| {readonly event: 'run-end'; readonly reason: RunEndReason};

export type HookOutcome = {
	/** Why a hook said no, for model and user; undefined if all agree. */
	readonly denied?: string;
	/** What the user should know: hooks that failed without a say. */
	readonly warnings: readonly string[];
};

/** Runs the hooks for an occasion, in order, until one says no. Throws the signal's reason on an abort. */
export type Hooks = (occasion: Occasion, signal: AbortSignal) => Promise<HookOutcome>;

type Options = {
	readonly hooks: readonly Hook[];
	readonly session: string;
	/** The working folder, a real path. */
	readonly folder: string;
	/** Masks the credentials of this program; everything else reaches a hook as it is. */
	readonly hide: (text: string) => string;
	readonly debug?: Debug | undefined;
	readonly commands: HookPlace['commands'];
	/**
	 * Asks whether a hook may run outside the sandbox; `why` says, as a clause, why it would. Returns the reason if it may not,
	 * as a sentence, and what the user should know.
	 */
	readonly mayLeave: (
		hook: Hook,
		why: string,
		signal: AbortSignal,
	) => Promise<{readonly refused: string | undefined; readonly notes: readonly string[]}>;
	/** Returns the files of a hook that the agent changed and nobody saw, once, by their names. */
	readonly takeUnseen?: (hook: Hook) => Promise<readonly string[]>;
	/** The root of the project, a real path. */
	readonly root: string;
};

/** Events for which a hook that fails counts as a no: a broken guard must not let anything through. */
const failsClosed: ReadonlySet<HookEvent> = new Set(['run-start', 'before-tool']);

/** Creates the function that runs these hooks; undefined if there are none. */
export function createHooks(options: Options): Hooks | undefined {
	const {hooks, session, folder, hide, debug, commands, root, mayLeave, takeUnseen} = options;
	if (hooks.length === 0) {
		return undefined;
	}

	return async (occasion, signal) => {
		const {event} = occasion;
		const wanted = hooks.filter(
			hook => hook.event === event && ('tool' in occasion ? matches(hook, occasion.tool) : true),
		);
		const input = `${JSON.stringify(mapStrings(inputOf(occasion, {session, folder}), hide))}\n`;
		const warnings: string[] = [];
		for (const hook of wanted) {
			const unseen = (failsClosed.has(event) && (await takeUnseen?.(hook))) || [];
			if (unseen.length > 0) {
				warnings.push(
					`The ${event} hook “${hook.command}” runs ${unseen.join(', ')}, which the agent changed and nobody saw. Look at it.`,
				);
			}

			const startedAt = performance.now();
			const {status, ...end} = await runAllowed(hook, input, {folder, root, commands, signal}, mayLeave, warnings);
			debug?.({kind: 'hook', event, status, outcome: end.kind, durationMs: Math.round(performance.now() - startedAt)});
			if (end.kind === 'denied') {
				return {denied: end.reason, warnings};
			}

			if (end.kind === 'failed') {
				const text = `The ${event} hook “${hook.command}” failed: ${end.reason}`;
				if (failsClosed.has(event)) {
					return {denied: text, warnings};
				}

				warnings.push(text);
			}
		}

		return {warnings};
	};
}

const contained = {refused: undefined, notes: []};

/** Runs a hook: in the sandbox, or outside if that may be. */
async function runAllowed(
	hook: Hook,
	input: string,
	place: HookPlace,
	mayLeave: Options['mayLeave'],
	warnings: string[],
) {
	const why = await whyUncontained(hook, place);
	const {refused, notes} = why === undefined ? contained : await mayLeave(hook, why, place.signal);
	warnings.push(...notes);
	return refused === undefined
		? runHook(hook, input, why === undefined, place)
		: {kind: 'failed' as const, reason: refused, status: null};
}

/** True if a hook is for that tool. Its pattern has names, separated by `|`, with `*` for any characters. */
export function matches({tool: pattern}: Pick<Hook, 'tool'>, tool: string): boolean {
	return (
		pattern === undefined ||
		pattern.split('|').some(name => {
			const expression = name
				.trim()
				.split('*')
				.map(part => part.replace(/[^\w-]/g, '\\$&'))
				.join('.*');
			return new RegExp(`^${expression}$`).test(tool);
		})
	);
}

function inputOf(occasion: Occasion, place: {readonly session: string; readonly folder: string}): JsonObject {
	const {event, ...rest} = occasion;
	return {event, tool: null, arguments: null, ...place, ...rest};
}

/** How long the hooks of an interrupted run may take. */
const interruptedTimeoutMs = 2000;

/** Runs the hooks for the end of a run. Returns what the user should know. Never throws. */
export async function endRun(hooks: Hooks, reason: RunEndReason, signal: AbortSignal): Promise<readonly string[]> {
	try {
		const until = signal.aborted ? AbortSignal.timeout(interruptedTimeoutMs) : signal;
		const {denied, warnings} = await hooks({event: 'run-end', reason}, until);
		return [...warnings, ...(denied === undefined ? [] : [`A hook objected to the run: ${denied}`])];
	} catch (error) {
		return isAbort(error) || signal.aborted ? [] : [`A run-end hook failed: ${messageOf(error)}`];
	}
}

/** How a hook ended: it let things go on, said no, or failed to say either. `reason` is one for the model. */
type HookEnd =
	| {readonly kind: 'passed'}
	| {readonly kind: 'denied'; readonly reason: string}
	| {readonly kind: 'failed'; readonly reason: string};

type HookPlace = {
	/** The working folder, a real path. */
	readonly folder: string;
	/** The root of the project, a real path. */
	readonly root: string;
	/** The commands of the session, in whose sandbox hooks run. */
	readonly commands: CommandSession;
	readonly signal: AbortSignal;
};

type Ended = {readonly status: number | null; readonly stderr: string; readonly limit?: string};

/** The exit status with which a hook says no. */
const denyStatus = 2;
const defaultTimeoutSec = 30;
const maxOutputBytes = 64 * 1024;
const maxReasonLength = 4000;

const lacks: Readonly<Record<Refusal, string>> = {
	network: 'has no network',
	path: 'writes only in this folder and in /tmp',
	hidden: 'hides your home folder and other temporary files',
};

/** Returns why a hook would run outside the sandbox, as a clause; undefined if it runs inside. */
async function whyUncontained({sandbox}: Hook, {commands, folder}: HookPlace): Promise<string | undefined> {
	if (sandbox === false) {
		return 'your settings say so';
	}

	const found = await commands.sandbox(folder);
	return found.kind === 'none' ? found.why.replace(/\.$/, '') : undefined;
}

/**
 * Runs one hook through the shell, in the working folder and in the sandbox of commands (SAFETY 15), with `input` as a line
 * on its standard input. Throws the signal's reason on an abort.
 */
async function runHook(
	hook: Hook,
	input: string,
	isContained: boolean,
	place: HookPlace,
): Promise<HookEnd & {readonly status: number | null}> {
	const {folder, signal} = place;
	try {
		const {status, stderr, limit} = await (isContained ? runContained : runOutside)(hook, input, place);
		const said = headAndTail(stderr.trim(), maxReasonLength);
		if (status === 0) {
			return {kind: 'passed', status};
		}

		if (status === denyStatus) {
			return {kind: 'denied', reason: said || 'It gave no reason.', status};
		}

		// Shells and the sandbox add 128 to the number of a signal.
		const isSignal = status === null || (isContained && status > 128);
		const how = limit ?? (isSignal ? 'a signal ended it' : `exit status ${status}`);
		const refused = isContained ? refusedBySandbox(stderr, {status, workspace: folder}) : undefined;
		const hint = refused
			? ` It ran in the sandbox, which ${lacks[refused]}. Your own settings can say "sandbox": false for a hook.`
			: '';
		return {kind: 'failed', reason: `${said ? `${how}: ${said}` : how}${hint && `.${hint}`}`, status};
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof AppError) {
			return {kind: 'failed', reason: error.message, status: null};
		}

		throw error;
	}
}

async function runContained(
	{command, timeoutSec}: Hook,
	input: string,
	{commands, folder, signal}: HookPlace,
): Promise<Ended> {
	signal.throwIfAborted();
	const timeoutMs = (timeoutSec ?? defaultTimeoutSec) * 1000;
	const deadline = AbortSignal.timeout(timeoutMs);
	const over = AbortSignal.any([signal, deadline]);
	const started = await commands.start({
		// Nothing reads its standard output.
		command: `exec >/dev/null; ${command}`,
		workspace: folder,
		containment: 'sandbox',
		readOnly: false,
		secrets: [],
		input,
		shell: '/bin/sh',
		by: 'hook',
	});
	const stop = () => void started.stop();
	over.addEventListener('abort', stop, {once: true});
	if (over.aborted) {
		stop();
	}

	try {
		const {status, limit} = await started.ended;
		signal.throwIfAborted();
		if (deadline.aborted) {
			throw new AppError('failed', `It took longer than ${timeoutMs / 1000} s and was stopped.`);
		}

		return {status, stderr: started.output.take().text, ...(limit !== undefined && {limit})};
	} finally {
		over.removeEventListener('abort', stop);
	}
}

/** Runs a hook with the rights of the user. Programs of the folder aren't found by their bare name (SAFETY 15). */
async function runOutside(
	{command, timeoutSec = defaultTimeoutSec}: Hook,
	input: string,
	{folder, root, signal}: HookPlace,
): Promise<Ended> {
	const {toolVariables} = await import('./tools/child/tool-variables.ts');
	return runChild({
		...shellFor(command),
		cwd: folder,
		outside: root,
		signal,
		input,
		env: toolVariables(process.env),
		timeoutMs: timeoutSec * 1000,
		maxBytes: maxOutputBytes,
	});
}

function shellFor(command: string): {readonly command: string; readonly args: readonly string[]} {
	return process.platform === 'win32'
		? {command: process.env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', command]}
		: {command: '/bin/sh', args: ['-c', command]};
}
