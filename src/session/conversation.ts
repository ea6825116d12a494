import {type Approvals, createApprovals, type Decide} from '../agent/approval/approval.ts';
import {runAgent} from '../agent/run.ts';
import {AppError} from '../core/error.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {toMessages} from '../core/session/read-conversation.ts';
import type {Tool} from '../core/session/tool.ts';
import {emptyTranscript, reduceTranscript, type Transcript} from '../core/session/transcript.ts';
import {type PriceOf, totalCost} from '../core/session/usage.ts';
import type {ModelCall} from '../providers/provider.ts';
import type {AppStore} from '../store/store.ts';
import {createPump} from './pump.ts';

/** Where the records of one session are kept. Never throws: a write error is a state of the store. */
export type RecordLog = {
	readonly append: (record: Recorded) => void;
	/** Waits until everything that was appended is written, or cannot be. */
	readonly flush: () => Promise<void>;
	/** Flushes, then lets go of the file. */
	readonly close: () => Promise<void>;
};

type Dependencies = {
	readonly store: AppStore;
	readonly newId: () => string;
	/** The time as ISO 8601 in UTC. */
	readonly now: () => string;
	/** Finds the model's host and key. Throws `AppError` where the user has to give one. */
	readonly openModel: (model: string | undefined) => Promise<ModelCall>;
	readonly loadTools: () => Promise<readonly Tool[]>;
	readonly workspace: () => string;
	/** Asks the user what the tools may not do by themselves. */
	readonly decide: Decide;
	/** Takes credentials out of what the user typed, for everything but the run that it begins. */
	readonly hide: (text: string) => string;
	/** What the log of a session holds, once that was flushed. */
	readonly readLog: (session: string) => Promise<readonly Recorded[]>;
	/** Begins the log of a session; nothing is written before its first record. */
	readonly openLog: (session: string) => RecordLog;
	/** A fourth reader of the stream, beside the screen and the log. */
	readonly onRecord?: (record: Recorded) => void;
	readonly maxTurns?: number;
	/** Most US dollars that a run may cost, and the prices that it is counted by, loaded before the first call. */
	readonly budget?: {readonly limitUsd: number; readonly loadPrices: () => Promise<PriceOf>};
};

export type Conversation = {
	/** Starts a run with this message, or queues it while one goes on. Resolves when the run has ended. */
	readonly send: (text: string) => Promise<void>;
	/** Ends the run that goes on; without one it does nothing. */
	readonly interrupt: () => void;
	readonly rename: (title: string) => void;
	/** Tells the person something that is no part of what the model reads. While a run goes on it would cut an answer in two. */
	readonly notice: (text: string, hint?: string) => void;
	/** Goes on with a session that was read from its log, after ending what goes on in this one. */
	readonly open: (transcript: Transcript, log: RecordLog) => Promise<void>;
	/**
	 * Goes on in a new session that holds everything before a message of the user, so that it can be said anew. The
	 * session so far stays as it is. Throws `AppError` for a log that cannot be read or lacks something; the session then
	 * goes on as it was.
	 */
	readonly forkBefore: (messageId: string) => Promise<void>;
	/** Begins an empty session. */
	readonly start: () => Promise<void>;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/**
 * Drives one session at a time: messages in, runs of the agent, every event to the log and, in batches, to the store.
 * Builds nothing itself: models, tools and logs are handed in.
 */
export function createConversation(dependencies: Dependencies): Conversation {
	const {
		store,
		newId,
		now,
		openModel,
		loadTools,
		workspace,
		decide,
		hide,
		readLog,
		openLog,
		onRecord,
		maxTurns,
		budget,
	} = dependencies;
	const pump = createPump<Recorded>(records => store.getState().applyRecords(records));
	let session = '';
	let seq = 0;
	let log: RecordLog | undefined;
	/** What the user allowed holds for one session. */
	let approvals: Approvals = createApprovals(decide);
	let run: {readonly abort: AbortController; readonly done: Promise<void>; readonly server: string} | undefined;

	/** What the user typed is kept without credentials, also where they sent one as it is (SAFETY 8). */
	const masked = (event: AgentEvent): AgentEvent =>
		event.type === 'user-message'
			? {...event, text: hide(event.text)}
			: event.type === 'rename'
				? {...event, title: hide(event.title)}
				: event;

	const emit = (given: AgentEvent) => {
		const event = masked(given);
		const server = run?.server ?? store.getState().connection.server;
		const record: Recorded = {v: 1, seq, at: now(), session, server, event};
		seq++;
		log ??= openLog(session);
		log.append(record);
		onRecord?.(record);
		pump.push(record);
	};

	/** What the run that goes on has cost so far, in US dollars; null where a price is unknown. */
	const spentSince = (before: number, priceOf: PriceOf) => {
		pump.flush();
		return totalCost([...store.getState().transcript.usage.values()].slice(before), priceOf);
	};

	const execute = async (text: string, signal: AbortSignal) => {
		const {model, transcript} = store.getState();
		const before = transcript.usage.size;
		const priceOf = await budget?.loadPrices();
		const events = runAgent({
			runId: newId(),
			model: model ?? 'none',
			async *ask(messages, askSignal) {
				const call = await openModel(model);
				yield* call(messages, askSignal);
			},
			messages: toMessages(transcript),
			prompt: {id: newId(), text},
			tools: await loadTools(),
			workspace: workspace(),
			approvals,
			signal,
			newId,
			nextMessages: () => store.getState().takeQueue(),
			...(maxTurns !== undefined && {maxTurns}),
			...(budget && priceOf && {budget: {limitUsd: budget.limitUsd, spent: () => spentSince(before, priceOf)}}),
		});
		for await (const event of events) {
			emit(event);
		}
	};

	const endRun = async () => {
		run?.abort.abort();
		await run?.done;
		pump.flush();
	};

	const finish = async () => {
		await endRun();
		await log?.close();
		log = undefined;
	};

	const begin = (transcript: Transcript) => {
		session = transcript.session;
		seq = transcript.seq + 1;
		approvals = createApprovals(decide);
		store.getState().openTranscript(transcript);
	};

	begin(emptyTranscript(newId()));

	return {
		async send(text) {
			if (run) {
				store.getState().enqueue({id: newId(), text});
				return run.done;
			}

			pump.flush();
			const abort = new AbortController();
			const done = execute(text, abort.signal).finally(() => {
				run = undefined;
				pump.flush();
			});
			run = {abort, done, server: store.getState().connection.server};
			return done;
		},
		interrupt() {
			run?.abort.abort();
		},
		rename(title) {
			emit({type: 'rename', title});
			pump.flush();
		},
		notice(text, hint) {
			emit({type: 'notice', level: 'info', text, ...(hint !== undefined && {hint})});
			pump.flush();
		},
		async open(transcript, opened) {
			await finish();
			begin(transcript);
			log = opened;
		},
		async forkBefore(messageId) {
			await endRun();
			await log?.flush();
			const {unsaved} = store.getState();
			if (unsaved) {
				throw new AppError('conflict', `This session is not saved (${unsaved}), so that nothing can go on inside it.`, {
					hint: 'Put that right first, or say it as a new message.',
				});
			}

			const records = await readLog(session);
			await finish();
			const fork = newId();
			const kept = recordsBefore(records, messageId).map((record, index) => ({
				...record,
				seq: index,
				session: fork,
			}));
			begin(kept.reduce(reduceTranscript, emptyTranscript(fork)));
			log = openLog(fork);
			kept.forEach(log.append);
		},
		async start() {
			await finish();
			begin(emptyTranscript(newId()));
		},
		close: finish,
	};
}

/** The records before a message of the user, without the beginning of the run that it started. */
function recordsBefore(records: readonly Recorded[], messageId: string): readonly Recorded[] {
	const index = records.findIndex(({event}) => event.type === 'user-message' && event.id === messageId);
	const end = records[index - 1]?.event.type === 'run-start' ? index - 1 : index;
	return records.slice(0, Math.max(0, end));
}
