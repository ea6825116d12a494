import type {SessionApprovals} from '../agent/approval/approval.ts';
import type {ChangeTracker} from '../agent/changes/change-tracker.ts';
import type {Hooks} from '../agent/hooks/hooks.ts';
import {type ImageStore, seesImages, withImages} from '../agent/images/model-images.ts';
import {runAgent} from '../agent/run.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {toMessages} from '../core/session/read-conversation.ts';
import type {Tool} from '../core/session/tool.ts';
import {emptyTranscript, reduceTranscript, type Transcript} from '../core/session/transcript.ts';
import {type PriceOf, totalCost} from '../core/session/usage.ts';
import type {ModelCall} from '../providers/provider.ts';
import {forkedRecords, readSaved} from './fork-records.ts';
import {createRecorder, type Recorder, type RecorderOptions, type RecordLog} from './recorder.ts';

type Dependencies = RecorderOptions & {
	readonly newId: () => string;
	/** Binds the model to its host and key. Throws `AppError` if the user has to provide one. */
	readonly openModel: (model: string | undefined) => Promise<ModelCall>;
	readonly loadTools: () => Promise<readonly Tool[]>;
	readonly workspace: () => string;
	/** Ends what the tools of a session left running, and removes its files. */
	readonly endTools?: () => Promise<void>;
	/** Returns the approvals of a new session. */
	readonly createApprovals: () => SessionApprovals;
	/** Returns the hooks of a session. Throws AppError("failed") if the user's own settings are invalid. */
	readonly loadHooks?: (session: string) => Promise<Hooks | undefined>;
	/** Keeps the images that the model is shown; without it, it sees none. */
	readonly images?: ImageStore;
	/** Returns the records of a session whose log was flushed. */
	readonly readLog: (session: string) => Promise<readonly Recorded[]>;
	/** Returns what saves the changes of files in a session. `parent` is the session that it continues. */
	readonly trackChanges?: (session: string, parent?: string) => ChangeTracker;
	readonly maxTurns?: number;
	/** The most US dollars that a run may cost, and the prices to count it by, loaded before the first call. */
	readonly budget?: {readonly limitUsd: number; readonly loadPrices: () => Promise<PriceOf>};
};

export type Conversation = {
	/** Starts a run with this message, or queues it during a run. Resolves when the run has ended. */
	readonly send: (text: string) => Promise<void>;
	/** Ends the current run, if there is one. */
	readonly interrupt: () => void;
	readonly rename: (title: string) => void;
	/** Shows the user a note that the model does not read. During a run it would cut an answer in two. */
	readonly notice: (text: string, hint?: string) => void;
	/** Ends the current run and continues a session that was read from its log. */
	readonly open: (transcript: Transcript, log: RecordLog) => Promise<void>;
	/**
	 * Continues in a new session that holds everything before a message of the user, so that the message can be replaced.
	 * The old session stays as it is. Throws `AppError` if the log cannot be read or is not complete; the current session
	 * then stays open.
	 */
	readonly forkBefore: (messageId: string) => Promise<void>;
	/** Continues in a new session that holds everything so far. Throws like `forkBefore`. */
	readonly fork: () => Promise<void>;
	/** Records that the user took changes of files back. The model has to read files again. */
	readonly restored: (event: Extract<AgentEvent, {type: 'restore'}>) => void;
	/** Starts an empty session. */
	readonly start: () => Promise<void>;
	/** Applies the events so far to the store, before something is asked that follows from them. */
	readonly flush: () => void;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/**
 * Creates a conversation, which drives one session at a time: messages in, runs of the agent, every event to the
 * recorder. It builds nothing itself: models, tools and logs are passed in.
 */
export function createConversation(dependencies: Dependencies): Conversation {
	const {newId, createApprovals, openLog} = dependencies;
	const recorder = createRecorder(dependencies);
	const runs = createRuns(dependencies, recorder);
	/** What the user allowed and the model has read is valid for one session. */
	let grants: SessionGrants;

	const begin = (transcript: Transcript, log?: RecordLog, parent?: string) => {
		const changes = dependencies.trackChanges?.(transcript.session, parent);
		grants = {approvals: createApprovals(), readFiles: new Map(), changes};
		recorder.begin(transcript, log);
	};

	const emit = (event: AgentEvent) => {
		runs.emit(event);
		recorder.flush();
	};

	const finish = async () => {
		await runs.end();
		await dependencies.endTools?.();
		await recorder.close();
	};

	const fork = async (before?: string) => {
		await runs.end();
		const records = await readSaved(recorder, dependencies);
		const parent = recorder.session();
		await finish();
		const session = newId();
		const kept = forkedRecords(records, session, before);
		const log = openLog(session);
		begin(kept.reduce(reduceTranscript, emptyTranscript(session)), log, parent);
		kept.forEach(log.append);
	};

	begin(emptyTranscript(newId()));

	return {
		send: text => runs.send(text, grants),
		interrupt: runs.interrupt,
		rename: title => emit({type: 'rename', title}),
		notice: (text, hint) => emit({type: 'notice', level: 'info', text, ...(hint !== undefined && {hint})}),
		async open(transcript, log) {
			await finish();
			begin(transcript, log);
		},
		forkBefore: fork,
		fork: () => fork(),
		restored(event) {
			grants.readFiles.clear();
			emit(event);
		},
		async start() {
			await finish();
			begin(emptyTranscript(newId()));
		},
		flush: recorder.flush,
		close: finish,
	};
}

type SessionGrants = {
	readonly approvals: SessionApprovals;
	readonly readFiles: Map<string, string>;
	readonly changes: ChangeTracker | undefined;
};

type Run = {readonly abort: AbortController; readonly done: Promise<void>; readonly server: string};

/** Creates the runs of a conversation: one at a time, each with the server that it started on. */
function createRuns(dependencies: Dependencies, recorder: Recorder) {
	const {store, newId} = dependencies;
	let run: Run | undefined;

	const emit = (event: AgentEvent) => recorder.emit(event, run?.server ?? store.getState().connection.server);

	const execute = async (text: string, signal: AbortSignal, grants: SessionGrants) => {
		const events = await startAgent(text, signal, {
			...dependencies,
			...grants,
			flush: recorder.flush,
			onPiece: recorder.show,
		});
		for await (const event of events) {
			emit(event);
		}
	};

	return {
		emit,
		async send(text: string, grants: SessionGrants) {
			if (run) {
				store.getState().enqueue({id: newId(), text});
				return run.done;
			}

			recorder.flush();
			const abort = new AbortController();
			const done = execute(text, abort.signal, grants).finally(() => {
				run = undefined;
				recorder.flush();
			});
			run = {abort, done, server: store.getState().connection.server};
			return done;
		},
		interrupt: () => run?.abort.abort(),
		/** Ends the current run and applies its last events. */
		async end() {
			run?.abort.abort();
			await run?.done;
			recorder.flush();
		},
	};
}

type AgentOptions = Dependencies &
	SessionGrants & {
		/** Applies what waits to the store, before usage is read from there. */
		readonly flush: () => void;
		/** Shows a piece of a call that is being written. */
		readonly onPiece: Recorder['show'];
	};

/** Starts the agent on the conversation so far and this message. */
async function startAgent(
	text: string,
	signal: AbortSignal,
	options: AgentOptions,
): Promise<AsyncIterable<AgentEvent>> {
	const {
		store,
		newId,
		openModel,
		loadTools,
		workspace,
		approvals,
		readFiles,
		changes,
		maxTurns,
		budget,
		flush,
		onPiece,
		images,
	} = options;
	const {model, transcript} = store.getState();
	const priceOf = await budget?.loadPrices();
	const hooks = await options.loadHooks?.(transcript.session);
	/** Returns the cost of this run in US dollars; null if a price is unknown. */
	const spent = (prices: PriceOf) => {
		flush();
		return totalCost([...store.getState().transcript.usage.values()].slice(transcript.usage.size), prices);
	};
	return runAgent({
		runId: newId(),
		model: model ?? 'none',
		async *ask(messages, askSignal) {
			const call = await openModel(model);
			yield* (images ? withImages(call, model ?? '', images) : call)(messages, askSignal);
		},
		messages: toMessages(transcript),
		prompt: {id: newId(), text},
		tools: await loadTools(),
		workspace: workspace(),
		approvals: approvals.startRun(),
		...{readFiles, changes},
		signal,
		onPiece,
		...(images && model && seesImages(model) && {images: {...images, isSeen: type => seesImages(model, type)}}),
		newId,
		nextMessages: () => store.getState().takeQueue(),
		...(hooks && {hooks}),
		...(maxTurns !== undefined && {maxTurns}),
		...(budget && priceOf && {budget: {limitUsd: budget.limitUsd, spentUsd: () => spent(priceOf)}}),
	});
}
