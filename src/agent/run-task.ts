import {AppError} from '../core/error.ts';
import {formatAmount, formatCount} from '../core/format.ts';
import type {Approval, ApprovalAnswer} from '../core/session/approval.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {TaskRequest, Tool} from '../core/session/tool.ts';
import {type TokenUsage, windowTokens} from '../core/session/usage.ts';
import type {AskModel} from '../providers/provider.ts';
import type {Hooks} from './hooks.ts';

/** Binds a model to its host, and to the instructions and these tools of a sub-agent. Throws as `ModelAccess.open` does. */
export type OpenTask = (
	model: string | undefined,
	tools: readonly Tool[],
) => Promise<{readonly model: string; readonly ask: AskModel}>;

/** The call that starts a sub-agent, as the run sees it. */
type TaskCall = {
	readonly id: string;
	readonly signal: AbortSignal;
	/** Asks as the call itself does. */
	readonly approve: (request: Approval) => Promise<ApprovalAnswer>;
	readonly emit: (event: AgentEvent) => void;
};

/** Runs a sub-agent. Returns its answer with its usage; throws AppError("failed") if it ended without one. */
export type RunTask = (task: TaskRequest, call: TaskCall) => Promise<string>;

/** What a sub-agent begins with, beside what it shares with the agent that started it. */
export type TaskRun = {
	readonly runId: string;
	readonly model: string;
	readonly ask: AskModel;
	readonly prompt: {readonly id: string; readonly text: string};
	readonly tools: readonly Tool[];
	readonly approvals: () => TaskCall['approve'];
	readonly hooks: Hooks | undefined;
	readonly signal: AbortSignal;
	readonly maxTurns: number;
};

type Options = {
	readonly tools: readonly Tool[];
	readonly hooks?: Hooks | undefined;
	readonly openTask: OpenTask;
	readonly newId: () => string;
	/** Most sub-agents at the same time; the others wait. */
	readonly maxAtOnce: number;
	/** Starts the loop for it. */
	readonly start: (run: TaskRun) => AsyncIterable<AgentEvent>;
};

/** Most requests of a sub-agent. */
const maxTaskTurns = 60;

/** Tools that belong to the conversation with the user. */
const ofConversation: ReadonlySet<string> = new Set(['task', 'todo', 'ask_user']);

/**
 * Creates what runs the sub-agents of one run. Each has a conversation and a limit of requests of its own, and a part of
 * the tools; approvals, hooks and the budget are those of the run. Its events are emitted as `task` events, its usage as
 * that of the session.
 */
export function createTaskRunner({tools, hooks, openTask, newId, maxAtOnce, start}: Options): RunTask {
	const room = createRoom(maxAtOnce);
	return (task, call) =>
		room(call.signal, async () => {
			const own = tools.filter(({name, readOnly}) => !ofConversation.has(name) && (task.write || readOnly));
			const {model, ask} = await openTask(task.model, own);
			const outcome = createOutcome();
			const events = start({
				runId: newId(),
				model,
				ask,
				prompt: {id: newId(), text: task.prompt},
				tools: own,
				hooks: hooks && withoutRuns(hooks),
				signal: call.signal,
				maxTurns: maxTaskTurns,
				approvals: () => request => call.approve(named(request, task)),
			});
			for await (const event of events) {
				outcome.add(event);
				call.emit(asEventOf(call.id, event));
			}

			call.signal.throwIfAborted();
			return outcome.text();
		});
}

/** Returns an event of a sub-agent as the session records it. */
function asEventOf(id: string, event: AgentEvent): AgentEvent {
	switch (event.type) {
		case 'usage':
			return {...event, cause: 'task', task: id};
		case 'task':
			return event;
		default:
			return {type: 'task', id, event};
	}
}

/** Returns a request that names the task, for the user. */
function named(request: Approval, {description}: TaskRequest): Approval {
	return {...request, facts: [['Task', description], ...(request.facts ?? [])]};
}

/** Hooks of calls hold for sub-agents too; those of runs are for the runs of the user. */
function withoutRuns(hooks: Hooks): Hooks {
	return async (occasion, signal) =>
		occasion.event === 'run-start' || occasion.event === 'run-end' ? {warnings: []} : hooks(occasion, signal);
}

/** Collects what a sub-agent answers and uses. */
function createOutcome() {
	const usage = new Map<string, TokenUsage>();
	let calls = 0;
	let last = {messageId: '', text: ''};
	let end: Extract<AgentEvent, {type: 'run-end'}> | undefined;

	const used = () => {
		const tokens = [...usage.values()].reduce((sum, each) => sum + windowTokens(each), 0);
		const parts = [formatAmount(usage.size, 'request'), `${formatCount(tokens)} tokens`, formatAmount(calls, 'call')];
		return `[The sub-agent used ${parts.join(', ')}.]`;
	};

	return {
		add(event: AgentEvent) {
			if (event.type === 'usage') {
				usage.set(event.messageId, event.usage);
			} else if (event.type === 'tool-call') {
				calls += 1;
			} else if (event.type === 'reclassify') {
				last = {messageId: event.messageId, text: ''};
			} else if (event.type === 'text-delta') {
				const {messageId, text} = event;
				last = messageId === last.messageId ? {messageId, text: last.text + text} : {messageId, text};
			} else if (event.type === 'run-end') {
				end = event;
			}
		},
		/** Throws AppError("failed") with what it said last if it ended early. */
		text(): string {
			const answer = last.text.trim();
			if (end?.reason === 'done' && answer) {
				return `${answer}\n\n${used()}`;
			}

			const why = end?.error?.message ?? 'It gave no answer.';
			const said = answer ? ` It said last: ${answer}` : '';
			throw new AppError('failed', `The sub-agent ended early. ${why}${said}\n\n${used()}`);
		},
	};
}

/** Lets at most so many pieces of work go on at the same time; the others wait in order. */
type Room = <Value>(signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>;

/** Creates a room. Work whose signal aborts while it waits is never begun: its reason is thrown. */
function createRoom(places: number): Room {
	let free = places;
	const waiting: (() => void)[] = [];
	return async (signal, work) => {
		while (free === 0) {
			await new Promise<void>(resolve => waiting.push(resolve));
			signal.throwIfAborted();
		}

		free -= 1;
		try {
			return await work();
		} finally {
			free += 1;
			// Also those that no longer want the place are woken, so that the next one gets it.
			for (const wake of waiting.splice(0)) {
				wake();
			}
		}
	};
}
