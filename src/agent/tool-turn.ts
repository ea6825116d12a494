import {abortable, abortableAfter} from '../core/abortable.ts';
import type {CapCounts} from '../core/caps.ts';
import {type CommandPlace, nameCommands} from '../core/command-words.ts';
import {recordedStyles, type StyledText, stylesIn} from '../core/output/text-styles.ts';
import type {Act} from '../core/session/approval.ts';
import type {AgentEvent, FileChange, ImageType, ShownImage, ToolFacts} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {Tool, ToolContext} from '../core/session/tool.ts';
import {answerCall, type CallAnswer} from './answer-call.ts';
import type {ChangeTracker} from './changes/change-tracker.ts';
import {createChannel} from './channel.ts';
import type {Hooks} from './hooks.ts';
import {type ImageStore, imagesTo, withoutPdf} from './images/model-images.ts';
import {countCall} from './limits.ts';
import type {ToolCall} from './model-turn.ts';
import type {OpenTask, RunTask} from './run-task.ts';

/** The tools of a run, and what surrounds their calls. */
export type RunTools = {
	readonly list: readonly Tool[];
	/** Returns the tools of a later turn: servers may have started or ended. */
	readonly next?: (() => Promise<readonly Tool[]>) | undefined;
	/** Opens the model of a sub-agent; left out if the run may start none. */
	readonly openTask?: OpenTask | undefined;
	/** Saves what the tools change, so that the user can take it back. */
	readonly changes?: ChangeTracker | undefined;
	/** Waits until the events so far are saved, or it was said that they aren't. */
	readonly saved?: (() => Promise<void>) | undefined;
	/** The hooks of the user and of a trusted project: for the run, and before and after each tool. */
	readonly hooks?: Hooks | undefined;
	/** Keeps the images that tools show; left out if the model sees none. */
	readonly images?: {readonly save: ImageStore['save']; readonly isSeen: (type: ImageType) => boolean} | undefined;
	/** Masks credentials in a result; `isAnew` if the tool may have written files with others. */
	readonly maskResult?: ((text: string, isAnew: boolean) => Promise<string>) | undefined;
	/** Returns the time in milliseconds, to measure tools. */
	readonly clock?: () => number;
};

/** Where the tools of a run work. */
export type ToolPlace = {
	/** The folder that they may read and write, an absolute real path. */
	readonly workspace: string;
	/** The files that the model has read in this session: the hash of their content, by real path. */
	readonly readFiles: Map<string, string>;
	/** Asks the user for what a call may not do without approval. `emit` gets the question and the answer as events. */
	readonly approvals: (call: {
		readonly id: string;
		readonly signal: AbortSignal;
		readonly emit: (event: AgentEvent) => void;
		/**
		 * True if the model wrote the call as text. What it writes may be a quotation, so that no rule, mode or flag allows it:
		 * only what reads runs without the user (SAFETY 14).
		 */
		readonly isWritten?: true;
	}) => ToolContext['approve'];
	/** Where the user reads what the model tells them of commands; the app by default. */
	readonly commandPlace?: CommandPlace | undefined;
};

/** What the calls of one turn run with. */
export type CallParts = {
	readonly tools: RunTools;
	readonly place: ToolPlace;
	readonly signal: AbortSignal;
	/** Runs the sub-agents of the run; left out if it may start none. */
	readonly runTask?: RunTask | undefined;
	/** What the run has used of its caps; without them nothing is counted. */
	readonly counts?: CapCounts;
};

type ToolMessage = Extract<Message, {role: 'tool'}>;

/** How long a tool that changes something may take to end after an abort: more than a command needs to be killed. */
const endGraceMs = 2500;

/** Most tools that run at the same time. */
const maxParallel = 8;

/**
 * Runs the calls of one model message. Yields results as they come, and returns them in the order of the calls. Tools
 * that only read run in parallel, all others alone and in order. On an abort it throws the signal's reason, even if a
 * tool ignores the signal: at once if the tool only reads, after a moment if it may be in the middle of a change. Its
 * later result is dropped.
 */
export async function* runCalls(
	calls: readonly ToolCall[],
	parts: CallParts,
): AsyncGenerator<AgentEvent, readonly ToolMessage[]> {
	const answers = new Map<string, ToolMessage>();
	for (const group of groupsOf(calls, parts.tools.list)) {
		for await (const event of runTogether(group, parts)) {
			const call = event.type === 'tool-result' && group.find(({id}) => id === event.id);
			if (call) {
				const {output, failed, images} = event;
				const answer = {role: 'tool' as const, callId: call.id, name: call.name, output, failed};
				answers.set(call.id, {...answer, ...(images && {images})});
			}

			yield event;
		}
	}

	return calls.flatMap(({id}) => answers.get(id) ?? []);
}

function groupsOf(calls: readonly ToolCall[], tools: readonly Tool[]): readonly (readonly ToolCall[])[] {
	const groups: ToolCall[][] = [];
	let reading: ToolCall[] | undefined;
	for (const call of calls) {
		const readOnly = onlyReads(call, tools);
		if (readOnly && reading) {
			reading.push(call);
		} else {
			groups.push([call]);
			reading = readOnly ? groups.at(-1) : undefined;
		}
	}

	return groups;
}

/** Returns true for a call that changes nothing, also for one of no tool. */
function onlyReads({name, arguments: args}: ToolCall, tools: readonly Tool[]): boolean {
	const tool = tools.find(candidate => candidate.name === name);
	return !tool || (tool.readOnly && !tool.mayChange?.(args));
}

function runTogether(calls: readonly ToolCall[], parts: CallParts): AsyncIterable<AgentEvent> {
	const {signal, tools} = parts;
	const events = createChannel<AgentEvent>();
	const waiting = calls.values();
	const work = async () => {
		// All workers share the iterator.
		for (const call of waiting) {
			signal.throwIfAborted();
			await runCall(call, parts, events.push);
		}
	};

	const workers = Promise.all(Array.from({length: Math.min(maxParallel, calls.length)}, work));
	const changesNothing = calls.every(call => onlyReads(call, tools.list));
	(changesNothing ? abortable(workers, signal) : abortableAfter(workers, signal, endGraceMs)).then(
		() => events.end(),
		(error: unknown) => events.end({error}),
	);
	return events;
}

/** Runs one call, and emits what it shows, asks and changes, its result last. */
async function runCall(call: ToolCall, parts: CallParts, emit: (event: AgentEvent) => void): Promise<void> {
	const {id} = call;
	const {tools, place, signal, runTask} = parts;
	const {changes, hooks, images, maskResult, clock = performance.now.bind(performance)} = tools;
	const {workspace, readFiles, approvals, commandPlace} = place;
	const onNotice: ToolContext['onNotice'] = (text, {isWarning = false, hint} = {}) =>
		emit({type: 'notice', level: isWarning ? 'warning' : 'info', text, ...(hint !== undefined && {hint})});
	const reported = collectReports(images);
	const stopwatch = createStopwatch(clock);
	const ask = approvals({id, signal, emit, ...(call.written && {isWritten: true})});
	const asked: typeof ask = request => stopwatch.pauseFor(() => ask(request));
	const approve = savedFirst(call, asked, parts, emit);
	const answer: CallAnswer =
		refusedByCap(call, parts, onNotice) ??
		(await answerCall(call, {
			workspace,
			readFiles,
			signal,
			approve,
			onNotice,
			onOutput: (text, styles = [], redrawn = {}) =>
				emit({type: 'tool-output', id, text, ...recordedStyles(styles), ...redrawn}),
			onJob: job => changes?.jobStarted(job),
			...reported.listeners,
			...(runTask && {runTask: task => runTask(task, {id, signal, approve, emit})}),
			tools: tools.list,
			commandPlace,
			hooks,
		}));
	const {failed, bug, warnings = []} = answer;
	const output = (await maskResult?.(answer.output, !onlyReads(call, tools.list))) ?? answer.output;
	for (const event of (await changes?.after(id)) ?? []) {
		emit(event);
	}

	const milliseconds = stopwatch.elapsedMs();
	for (const text of warnings) {
		emit({type: 'notice', level: 'warning', text});
	}

	if (bug) {
		emit({type: 'notice', level: 'error', text: bug});
	}

	emit({type: 'tool-result', id, output, failed, milliseconds, ...reported.inResult(output)});
}

/** Counts a call of a tool. Returns the answer to one that is more than a cap allows, which the user hears of once. */
function refusedByCap(
	{name, malformed, cut}: ToolCall,
	{tools, place, counts}: CallParts,
	onNotice: NonNullable<ToolContext['onNotice']>,
): CallAnswer | undefined {
	const isRun = malformed === undefined && !cut && tools.list.some(tool => tool.name === name);
	const refusal = isRun && counts ? countCall(name, counts) : undefined;
	if (refusal?.notice) {
		onNotice(refusal.notice.text, {isWarning: true, hint: refusal.notice.hint});
	}

	return refusal && {output: nameCommands(refusal.output, place.commandPlace ?? 'app'), failed: true};
}

/** Collects what a call reports beside its answer. */
function collectReports(images: RunTools['images']) {
	let change: FileChange | undefined;
	let styled: StyledText | undefined;
	let facts: ToolFacts | undefined;
	const shown: ShownImage[] = [];
	return {
		listeners: {
			onChange(written: FileChange) {
				change = written;
			},
			onStyles(output: StyledText) {
				styled = output;
			},
			onFacts(reported: ToolFacts) {
				facts = reported;
			},
			...(images && {onImage: imagesTo(shown, withoutPdf(images))}),
		},
		/** Returns what its result has beside `output`. */
		inResult: (output: string) => ({
			...(styled && recordedStyles(stylesIn(output, styled))),
			...(change && {change}),
			...(shown.length > 0 && {images: shown}),
			...(facts && {facts}),
		}),
	};
}

/** Measures a tool without the time in which the user is asked. */
function createStopwatch(clock: () => number) {
	const startedAt = clock();
	let pausedMs = 0;
	return {
		async pauseFor<Value>(wait: () => Promise<Value>): Promise<Value> {
			const pausedAt = clock();
			try {
				return await wait();
			} finally {
				pausedMs += clock() - pausedAt;
			}
		},
		elapsedMs: () => Math.round(clock() - startedAt - pausedMs),
	};
}

/**
 * Returns an approval that saves what an allowed act may change before the tool goes on. The session knows of it then, too: what a
 * killed program has changed can be undone (SAFETY 17).
 */
function savedFirst(
	{id, name}: ToolCall,
	approve: ToolContext['approve'],
	{tools, place, signal}: CallParts,
	emit: (event: AgentEvent) => void,
): ToolContext['approve'] {
	return async request => {
		const permission = await approve(request);
		if (permission.allowed) {
			const act = name === 'task' ? anyChange(request.act, place.workspace) : request.act;
			const events = (await tools.changes?.before(id, act, signal)) ?? [];
			events.forEach(emit);
			if (events.length > 0 && tools.saved) {
				// Whoever reads the events has these once this turn of the loop has ended.
				await new Promise(resolve => setImmediate(resolve));
				await abortable(tools.saved(), signal);
			}
		}

		return permission;
	};
}

/** Returns what a sub-agent may change from its first change on: any file, because others follow. */
function anyChange(act: Act, folder: string): Act {
	const isEdit = act.kind === 'edit' || act.kind === 'edit-secret';
	return isEdit ? {kind: 'command', command: '', folder, containment: 'none'} : act;
}
