import type {Span} from '../core/otlp.ts';
import type {AgentEvent, EventOf, Recorded} from '../core/session/event.ts';
import {
	callSpan,
	chatSpan,
	compactionSpan,
	type Ending,
	openedChat,
	type Run,
	rootPlace,
	runSpan,
	type SpanOptions,
	startedRun,
	taskPlace,
} from './build-spans.ts';
import {finishReason, maxContent} from './span-attributes.ts';

/** Characters of an answer that are kept: more than a span has, because a credential that is cut can't be recognized. */
const maxKept = 2 * maxContent;

/**
 * Creates a reader of records that returns the spans that each of them finishes, by OpenTelemetry's GenAI conventions:
 * `invoke_agent` for a run, and below it `chat` for each request and `execute_tool` for each call of a tool. Ids follow
 * from the id of the run, so that the same records give the same spans. Events between runs give none.
 */
export function createRunSpans(options: SpanOptions): (record: Recorded) => readonly Span[] {
	const runs = new Map<string, Run>();
	let lastUs = 0;

	return ({session, at, event}) => {
		// No two records have the same time, so that spans keep the order of records.
		const milliseconds = Date.parse(at);
		lastUs = Math.max(lastUs + 1, Number.isNaN(milliseconds) ? 0 : milliseconds * 1000);
		if (event.type === 'run-start') {
			runs.set(session, startedRun(event, {session, us: lastUs, place: rootPlace(event.runId)}));
			return [];
		}

		const run = runs.get(session);
		if (event.type === 'run-end') {
			runs.delete(session);
		}

		return run ? applyEvent(run, event, lastUs, options) : [];
	};
}

function applyEvent(run: Run, event: AgentEvent, us: number, options: SpanOptions): readonly Span[] {
	switch (event.type) {
		case 'user-message': {
			const ended = endChat(run, us, options);
			run.users.push(event);
			return ended;
		}

		case 'text-delta':
		case 'reasoning-delta':
		case 'reclassify':
		case 'tool-call':
			return addToChat(run, event, us, options);
		case 'usage': {
			const task = event.task === undefined ? undefined : run.tasks.get(event.task);
			return addToChat(task ?? run, event, us, options);
		}

		case 'task':
			return applyTask(run, event, us, options);
		case 'approval-request':
		case 'tool-output':
		case 'checkpoint':
			return endChat(run, us, options);
		case 'tool-result':
			return [...endChat(run, us, options), ...endCall(run, event, us, options)];
		case 'compaction':
			return [...endChat(run, us, options), compactionSpan(run, us)];
		case 'run-end':
			return endRun(run, event, us, options);
		default:
			return [];
	}
}

function applyTask(run: Run, {id, event}: EventOf<'task'>, us: number, options: SpanOptions): readonly Span[] {
	if (event.type === 'run-start') {
		const place = taskPlace(run, id, event.runId);
		const ended = endChat(run, us, options);
		run.tasks.set(id, startedRun(event, {session: run.session, us, place}));
		return ended;
	}

	const task = run.tasks.get(id);
	if (event.type === 'run-end') {
		run.tasks.delete(id);
	}

	return task ? applyEvent(task, event, us, options) : [];
}

type Part = EventOf<'text-delta' | 'reasoning-delta' | 'reclassify' | 'tool-call' | 'usage'>;

function addToChat(run: Run, event: Part, us: number, options: SpanOptions): readonly Span[] {
	const {messageId} = event;
	const ended = run.chat && run.chat.id !== messageId ? endChat(run, run.chat.endUs, options) : [];
	run.chat ??= openedChat(run, messageId, event.type === 'usage' ? event.model : run.model);
	const {chat} = run;
	chat.endUs = us;
	chat.isMessage ||= event.type !== 'usage';
	if (event.type === 'usage') {
		chat.usage = event;
		run.usage.set(messageId, event);
	} else if (event.type === 'text-delta' && chat.text.length < maxKept) {
		chat.text += event.text.slice(0, maxKept);
	} else if (event.type === 'reclassify') {
		chat.text = '';
	} else if (event.type === 'tool-call') {
		const {id, name, arguments: args} = event;
		const call = {id, name, arguments: args, us};
		chat.calls.push(call);
		run.calls.set(id, call);
	}

	return ended;
}

/** Ends the open request. From `us` on, the next one can begin. */
function endChat(run: Run, us: number, options: SpanOptions, ending?: Ending): readonly Span[] {
	const {chat} = run;
	run.chat = undefined;
	run.readyUs = us;
	const reason = finishReason(chat && chat.calls.length > 0 ? 'tool_use' : 'end_turn');
	return chat ? [chatSpan(run, chat, ending ?? {reason}, options)] : [];
}

function endCall(run: Run, event: EventOf<'tool-result'>, us: number, options: SpanOptions): readonly Span[] {
	const call = run.calls.get(event.id);
	run.calls.delete(event.id);
	// Its own time: a call may have waited for others, or for the user.
	const startUs = Math.max(call?.us ?? 0, us - Math.round(event.milliseconds * 1000));
	return call ? [callSpan(run, call, {startUs, endUs: us}, options, event)] : [];
}

function endRun(run: Run, event: EventOf<'run-end'>, us: number, options: SpanOptions): readonly Span[] {
	const {reason, stopReason, error} = event;
	const isCut = reason === 'error' || reason === 'incomplete' || reason === 'interrupted';
	const type = reason === 'interrupted' ? reason : (error?.code ?? reason);
	const ending: Ending = {
		reason: finishReason(stopReason),
		...(isCut && {error: {type, message: options.hide(error?.message ?? '')}}),
	};
	if (!run.chat && isCut && isOfRequest(run, type)) {
		run.chat = {...openedChat(run, undefined, run.model), endUs: us};
	}

	const requests = endChat(run, us, options, ending);
	const interrupted = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'} as const;
	const tasks = [...run.tasks.values()].flatMap(task => endRun(task, interrupted, us, options));
	const calls = [...run.calls.values()].map(call => callSpan(run, call, {startUs: call.us, endUs: us}, options));
	return [...requests, ...tasks, ...calls, runSpan(run, event, us, options)];
}

/** Returns true if a run without an open answer ended while it waited for one: not in a tool, nor by a rule of its own. */
function isOfRequest({calls}: Run, type: string): boolean {
	return calls.size === 0 && type !== 'failed' && type !== 'budget';
}
