import {type CapCounts, createCapCounts} from '../core/caps.ts';
import {AppError, type ErrorReport, isAbort, reportError} from '../core/error.ts';
import {once} from '../core/once.ts';
import type {AgentEvent, RunEndReason, StopReason} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {RunWarning, Tool} from '../core/session/tool.ts';
import type {ModelCall} from '../providers/provider.ts';
import type {Approvals} from './approval/approval.ts';
import type {ChangeTracker} from './changes/change-tracker.ts';
import type {CompactionAccess} from './context/sent-history.ts';
import {createHistory, type Dates, type QueuedMessage} from './history.ts';
import {endRun, type Hooks} from './hooks/hooks.ts';
import type {LedgerOptions} from './ledger-entry.ts';
import {type Budget, createLimits, createRepetitionGuard} from './limits.ts';
import type {AttachOptions} from './mentions/attach.ts';
import type {Mentions} from './mentions/read-mentions.ts';
import type {Retry} from './model-retry.ts';
import {missingAnswer, type TurnOptions} from './model-turn.ts';
import type {OnPiece} from './open-answer.ts';
import type {OpenTask, RunTask, TaskRun} from './task/run-task.ts';
import {type CallOptions, runCalls} from './tool-turn.ts';

export type RunOptions = LedgerOptions & {
	readonly runId: string;
	/** Calls the model. Already bound to provider, transport, system prompt and tool definitions. */
	readonly ask: ModelCall;
	/** The conversation so far. Every tool call in it has a result. */
	readonly messages: readonly Message[];
	/** The user's message; left out to continue the conversation as it is. */
	readonly prompt?: QueuedMessage;
	readonly tools: readonly Tool[];
	/** Returns the tools of a later turn: servers may have started or ended. */
	readonly nextTools?: () => Promise<readonly Tool[]>;
	/** What the user should know before the first turn. */
	readonly warnings?: readonly RunWarning[];
	/** The folder that the tools may read and write, an absolute real path. */
	readonly workspace: string;
	/** The files that the model has read in this session: the hash of their content, by real path. */
	readonly readFiles: Map<string, string>;
	/** Asks the user for what a tool may not do without approval. */
	readonly approvals: Approvals;
	/** Saves what the tools change, so that the user can take it back. */
	readonly changes?: ChangeTracker | undefined;
	/** The hooks of the user and of a trusted project. */
	readonly hooks?: Hooks | undefined;
	readonly signal: AbortSignal;
	/** Most calls of the model. The tools of the last one still run, so that the session can continue. */
	readonly maxTurns?: number;
	/** What the run and its sub-agents have used of their caps; those of a run alone by default. */
	readonly counts?: CapCounts;
	readonly budget?: Budget;
	/** See `TurnOptions`. */
	readonly beforeRequest?: TurnOptions['beforeRequest'];
	/** Returns and clears the user's queue. Called after each turn, also before the run would end. */
	readonly nextMessages: () => readonly QueuedMessage[];
	readonly newId: () => string;
	/** Retries a model call that showed nothing yet; by default twice, with the waits of SAFETY 23. */
	readonly retry?: Retry;
	readonly onPiece?: OnPiece;
	/** See `CallOptions`. */
	readonly maskResult?: CallOptions['maskResult'];
	/** See `CallOptions`. */
	readonly commandPlace?: CallOptions['commandPlace'];
	/** Returns the time in milliseconds, to measure tools. */
	readonly clock?: () => number;
	/** Opens the model of a sub-agent; left out if the run may start none. */
	readonly openTask?: OpenTask;
	/** Keeps the images that tools show; left out if the model sees none. */
	readonly images?: CallOptions['images'];
	/** Compacts the conversation first. Without queued messages, that is all. */
	readonly compact?: {readonly guidance: string | undefined};
	/** The dates that the model knows; left out if it needs to know none. */
	readonly dates?: Dates;
	/** What messages may mention; left out to send mentions as text. */
	readonly mentions?: Mentions;
	/** How the conversation is made shorter when the context window is full; left out to end the run then. */
	readonly compaction?: CompactionAccess;
};

type CountedOptions = RunOptions & {readonly counts: CapCounts};

/**
 * Runs the loop: model, tools, model, until the model is done. Never throws: `run-end` always comes exactly once, and
 * last. A consumer that returns early gets it as the value of `return()`, after everything has stopped. Calls without a
 * result after an abort stay open; the reducer marks them, and answers them in the history.
 */
export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, void> {
	const stop = new AbortController();
	const signal = AbortSignal.any([options.signal, stop.signal]);
	let end = interrupted;
	/** True if the consumer has returned early, so that it takes one more event only. */
	let isLeft = true;
	try {
		yield {type: 'run-start', runId: options.runId, model: options.model};
		end = yield* converse({...options, signal, counts: options.counts ?? createCapCounts()});
		isLeft = false;
	} catch (error) {
		isLeft = false;
		end = signal.aborted ? interrupted : await endOf(error);
		yield* (await options.changes?.end()) ?? [];
	} finally {
		stop.abort();
		const warnings = options.hooks ? await endRun(options.hooks, end.reason, options.signal) : [];
		for (const text of isLeft ? [] : warnings) {
			yield {type: 'notice', level: 'warning', text};
		}

		yield {type: 'run-end', ...end};
	}
}

/** Returns what runs sub-agents: loops like this one, which start none themselves. Loaded with the first of them. */
function taskRunnerOf({openTask, ...options}: CountedOptions): RunTask | undefined {
	if (!openTask) {
		return undefined;
	}

	const {compact: _, prompt: _prompt, onPiece: _piece, changes: _changes, sentBefore: _sent, ...most} = options;
	// A model must not attach what the user would have to mention, nor call what only the agent has.
	const {mentions: _mentions, dates: _dates, nextTools: _tools, warnings: _warnings, ...shared} = most;
	const {tools, hooks, newId, compaction, counts} = options;
	const own = {messages: [], nextMessages: () => [], cause: 'task'} as const;
	const ofTask = compaction && {compaction: {...compaction, usedTokens: 0, pinned: () => []}};
	const start = (run: TaskRun) => runAgent({...shared, ...own, readFiles: new Map(), ...ofTask, ...run});
	const load = once(async () => {
		const {createTaskRunner} = await import('./task/run-task.ts');
		return createTaskRunner({openTask, tools, hooks, newId, maxAtOnce: counts.limits().tasksAtOnce, start});
	});
	return async (task, call) => (await load())(task, call);
}

async function* converse(options: CountedOptions): AsyncGenerator<AgentEvent, RunEnd> {
	const {prompt, nextMessages, signal, clock = performance.now.bind(performance)} = options;
	const limits = createLimits(options);
	const isRepeating = createRepetitionGuard();
	const {mentions} = options;
	const history = createHistory({
		...options,
		...(mentions && {attach: message => attachTo(message, {...options, mentions})}),
	});
	const runTask = taskRunnerOf(options);

	if (options.compact) {
		yield* history.compact(options.compact.guidance);
	}

	const first = [...(prompt ? [prompt] : []), ...nextMessages()];
	if (options.compact && first.length === 0) {
		return {reason: 'done', stopReason: 'end_turn'};
	}

	yield* history.addUserMessages(first);
	yield* (options.warnings ?? []).map((warning): AgentEvent => ({type: 'notice', level: 'warning', ...warning}));
	const start = await options.hooks?.({event: 'run-start'}, signal);
	if (start?.denied !== undefined) {
		return {
			reason: 'error',
			stopReason: 'error',
			error: {code: 'failed', message: `A hook stopped this run. ${start.denied}`},
		};
	}

	for (;;) {
		signal.throwIfAborted();
		const usedUp = limits.beforeTurn();
		if (usedUp) {
			return {reason: 'budget', stopReason: 'incomplete', error: usedUp};
		}

		const turn = yield* history.takeTurn();
		const {calls, stopReason, why} = turn;
		const done: RunEnd = {reason: 'done', stopReason, ...(why && {error: {code: 'incomplete', message: why}})};
		if (stopReason === 'refusal') {
			return done;
		}

		const tools = calls.length > 0 && options.nextTools ? await options.nextTools() : options.tools;
		const startedAt = clock();
		const answers = yield* runCalls(calls, {...options, tools, runTask});
		history.addAnswers(answers);
		if (isRepeating(calls, answers, clock() - startedAt)) {
			return {reason: 'error', stopReason, error: loopError};
		}

		const exhausted = yield* limits.afterTurn();
		const queued = exhausted ? [] : nextMessages();
		const empty = missingAnswer(turn);
		if (calls.length === 0 && queued.length === 0) {
			return empty ? {reason: 'incomplete', stopReason: 'incomplete', error: reportError(empty)} : done;
		}

		if (empty) {
			yield {type: 'notice', level: 'warning', text: empty.message};
		}

		if (exhausted) {
			return {reason: 'budget', stopReason, error: exhausted};
		}

		yield* history.addUserMessages(queued);
	}
}

/** Reads what a message mentions. That is loaded with the first mention. */
async function* attachTo(message: QueuedMessage, options: AttachOptions): AsyncGenerator<AgentEvent> {
	if (message.text.includes('@')) {
		const {attach} = await import('./mentions/attach.ts');
		yield* attach(message, options);
	}
}

const loopError: ErrorReport = {
	code: 'failed',
	message: 'The model kept repeating the same tool calls.',
	hint: 'Say what it should do instead, or select another model.',
};

/** How a run ended. */
type RunEnd = {
	readonly reason: RunEndReason;
	readonly stopReason: StopReason;
	readonly refused?: boolean;
	readonly error?: ErrorReport;
};

/** The end of a run that the user interrupted. */
const interrupted: RunEnd = {reason: 'interrupted', stopReason: 'incomplete'};

/** Returns the end of a run that threw this. */
async function endOf(error: unknown): Promise<RunEnd> {
	const report = reportError(error);
	if (isAbort(error) || report.code === 'interrupted') {
		return interrupted;
	}

	if (report.code === 'incomplete') {
		return {reason: 'incomplete', stopReason: 'incomplete', error: report};
	}

	if (report.code === 'budget') {
		return {reason: 'budget', stopReason: 'incomplete', error: report};
	}

	const refused = error instanceof AppError && error.overflow && (await isSurelyTooLong(error)) && {refused: true};
	return {reason: 'error', stopReason: 'error', ...refused, error: report};
}

/** True if the host said so in words or codes that mean nothing else: then the conversation goes on without the last message. */
async function isSurelyTooLong(error: AppError): Promise<boolean> {
	const {overflowOf} = await import('./context/overflow.ts');
	return overflowOf(error, {tokens: 0})?.isSure === true;
}
