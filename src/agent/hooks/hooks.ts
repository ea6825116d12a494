import type {Hook, HookEvent} from '../../config/project/settings-file.ts';
import type {Debug} from '../../core/debug.ts';
import {isAbort, messageOf} from '../../core/error.ts';
import {type JsonObject, mapStrings} from '../../core/json.ts';
import type {RunEndReason} from '../../core/session/event.ts';
import {type HookPlace, runHook, whyUncontained} from './run-hook.ts';

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
