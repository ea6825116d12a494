import {type CapCounts, createCapCounts} from '../core/caps.ts';
import {AppError, type ErrorReport, isAbort, reportError} from '../core/error.ts';
import {once} from '../core/once.ts';
import type {AgentEvent, RunEndReason, StopReason} from '../core/session/event.ts';
import {createHistory, type History, type QueuedMessage, type RunConversation} from './history.ts';
import {endRun} from './hooks.ts';
import {createRepetitionGuard, type LimitWatch, type RepetitionGuard, type RunLimits, watchLimits} from './limits.ts';
import type {Mentions} from './mentions/read-mentions.ts';
import {type ModelRequests, type ModelTurn, missingAnswer} from './model-turn.ts';
import type {RunTask, TaskRun} from './run-task.ts';
import {type CallParts, type RunTools, runCalls, type ToolPlace} from './tool-turn.ts';

export type RunOptions = {
	readonly runId: string;
	readonly newId: () => string;
	readonly signal: AbortSignal;
	readonly requests: ModelRequests;
	readonly conversation: RunConversation;
	readonly tools: RunTools;
	readonly place: ToolPlace;
	readonly limits?: RunLimits;
};

/** A run that has started. */
type Run = CallParts & {
	readonly conversation: RunConversation;
	readonly history: History;
	readonly limits: LimitWatch;
	readonly isRepeating: RepetitionGuard;
};

/**
 * Runs the loop: model, tools, model, until the model is done. Never throws: `run-end` always comes exactly once, and
 * last. A consumer that returns early gets it as the value of `return()`, after everything has stopped. Calls without a
 * result after an abort stay open; the reducer marks them, and answers them in the history.
 */
export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, void> {
	const {changes, hooks} = options.tools;
	const place = options.place.commandPlace === 'shell' ? {place: 'shell' as const} : {};
	const stop = new AbortController();
	const signal = AbortSignal.any([options.signal, stop.signal]);
	let end = interrupted;
	/** True if the consumer has returned early, so that it takes one more event only. */
	let isLeft = true;
	try {
		yield {type: 'run-start', runId: options.runId, model: options.requests.model, ...place};
		const run = createRun({...options, signal});
		let outcome = yield* begin(run);
		while (!outcome) {
			signal.throwIfAborted();
			const usedUp = run.limits.beforeTurn();
			outcome = usedUp
				? {reason: 'budget', stopReason: 'incomplete', error: usedUp}
				: yield* continueAfter(yield* run.history.takeTurn(), run);
		}

		end = outcome;
		isLeft = false;
	} catch (error) {
		isLeft = false;
		end = signal.aborted ? interrupted : await endOf(error);
		yield* (await changes?.end()) ?? [];
	} finally {
		stop.abort();
		const warnings = hooks ? await endRun(hooks, end.reason, options.signal) : [];
		for (const text of isLeft ? [] : warnings) {
			yield {type: 'notice', level: 'warning', text};
		}

		yield {type: 'run-end', ...end};
	}
}

function createRun(options: RunOptions): Run {
	const {requests, conversation, tools, place, signal, newId} = options;
	const limits: RunLimits & {readonly counts: CapCounts} = {counts: createCapCounts(), ...options.limits};
	const turn = {requests, tools: tools.list, nextTools: tools.next, newId, signal};
	const {counts} = limits;
	const parts: CallParts = {tools, place, signal, counts, runTask: taskRunnerOf(options, limits)};
	return {
		...parts,
		conversation,
		history: createHistory(conversation, turn, message => attachTo(message, parts, conversation.mentions)),
		limits: watchLimits(limits, {...requests, ...place}),
		isRepeating: createRepetitionGuard(),
	};
}

/** Does what comes before the first turn. Returns the end of the run if there is none. */
async function* begin({conversation, history, tools, signal}: Run): AsyncGenerator<AgentEvent, RunEnd | undefined> {
	const {compact, prompt, nextMessages, warnings = []} = conversation;
	if (compact) {
		yield* history.compact(compact.guidance);
	}

	const first = [...(prompt ? [prompt] : []), ...nextMessages()];
	if (compact && first.length === 0) {
		return {reason: 'done', stopReason: 'end_turn'};
	}

	yield* history.addUserMessages(first);
	yield* warnings.map((warning): AgentEvent => ({type: 'notice', level: 'warning', ...warning}));
	const start = await tools.hooks?.({event: 'run-start'}, signal);
	if (start?.denied === undefined) {
		return undefined;
	}

	const message = `A hook stopped this run. ${start.denied}`;
	return {reason: 'error', stopReason: 'error', error: {code: 'failed', message}};
}

/** Runs the calls of a turn, and adds what the user has sent since. Returns the end of the run if no other turn follows. */
async function* continueAfter(turn: ModelTurn, run: Run): AsyncGenerator<AgentEvent, RunEnd | undefined> {
	const {conversation, history, limits, tools} = run;
	const {clock = performance.now.bind(performance)} = tools;
	const {calls, stopReason, why} = turn;
	const done: RunEnd = {reason: 'done', stopReason, ...(why && {error: {code: 'incomplete', message: why}})};
	if (stopReason === 'refusal') {
		return done;
	}

	const list = calls.length > 0 && tools.next ? await tools.next() : tools.list;
	const startedAt = clock();
	const answers = yield* runCalls(calls, {...run, tools: {...tools, list}});
	history.addAnswers(answers);
	if (run.isRepeating(calls, answers, clock() - startedAt)) {
		return {reason: 'error', stopReason, error: loopError};
	}

	const exhausted = yield* limits.afterTurn();
	const queued = exhausted ? [] : conversation.nextMessages();
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
	return undefined;
}

/** Returns what runs sub-agents: loops like this one, which start none themselves. Loaded with the first of them. */
function taskRunnerOf(
	{requests, conversation, tools, place, newId}: RunOptions,
	limits: RunLimits & {readonly counts: CapCounts},
): RunTask | undefined {
	const {openTask, list, hooks} = tools;
	if (!openTask) {
		return undefined;
	}

	const {compaction} = conversation;
	const ofTask = compaction && {...compaction, usedTokens: 0, pinned: () => []};
	// A model must not attach what the user would have to mention, nor call what only the agent has.
	const start = ({runId, model, ask, prompt, signal, ...own}: TaskRun) =>
		runAgent({
			runId,
			newId,
			signal,
			requests: {...requests, model, ask, cause: 'task', sentBefore: undefined, onPiece: undefined},
			conversation: {messages: [], prompt, nextMessages: () => [], compaction: ofTask},
			tools: {...tools, list: own.tools, hooks: own.hooks, next: undefined, openTask: undefined, changes: undefined},
			place: {...place, readFiles: new Map(), approvals: own.approvals},
			limits: {...limits, maxTurns: own.maxTurns},
		});
	const load = once(async () => {
		const {createTaskRunner} = await import('./run-task.ts');
		const maxAtOnce = limits.counts.limits().tasksAtOnce;
		return createTaskRunner({openTask, tools: list, hooks, newId, maxAtOnce, start});
	});
	return async (task, call) => (await load())(task, call);
}

/** Reads what a message mentions. That is loaded with the first mention. */
async function* attachTo(
	message: QueuedMessage,
	parts: CallParts,
	mentions: Mentions | undefined,
): AsyncGenerator<AgentEvent> {
	if (mentions && message.text.includes('@')) {
		const {attach} = await import('./mentions/attach.ts');
		yield* attach(message, parts, mentions);
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
