import type {ChangeTracker} from '../agent/changes/change-tracker.ts';
import type {RunStarter} from '../agent/history.ts';
import type {SessionBindings} from '../agent/session-bindings.ts';
import type {UserShell} from '../agent/user-shell.ts';
import {createCapCounts} from '../core/caps.ts';
import {AppError} from '../core/error.ts';
import type {Budgets} from '../core/ledger/budget.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {replayTranscript} from '../core/session/reduce-transcript.ts';
import type {SessionRule} from '../core/session/session-rules.ts';
import {emptyTranscript, type Transcript} from '../core/session/transcript.ts';
import type {LogToFollow} from '../logs/log-to-follow.ts';
import type {AppStore} from '../store/store.ts';
import {createRecorder, type Recorder, type RecorderOptions, type RecordLog} from './recorder.ts';
import type {SessionSwitch} from './session-switch.ts';
import {
	type Beginning,
	createUserCommands,
	type RunDependencies,
	type SessionGrants,
	startAgent,
	type UserCommands,
} from './start-run.ts';

/** What a session is opened with. */
export type SessionParts = RecorderOptions &
	RunDependencies & {
		/** Loads what runs commands of the user. */
		readonly loadShell?: () => Promise<UserShell>;
		/** Ends what the tools of a session left running, and removes its files. */
		readonly endTools?: () => Promise<void>;
		/** Returns where the requests of a session may go, as far as its records say. */
		readonly createBindings?: (transcript: Transcript) => SessionBindings;
		/** Returns what lets other agents answer in a session. */
		readonly openExternal?: (transcript: () => Transcript) => SessionGrants['external'];
		/** Returns the approvals of a session with these rules of its own. */
		readonly createApprovals: (rules: readonly SessionRule[]) => SessionGrants['approvals'];
		/** Returns the records of a session whose log was flushed. */
		readonly readLog: (session: string) => Promise<readonly Recorded[]>;
		/**
		 * Returns what saves the changes of files in a session. `emit` records an event that belongs to no call; `parent` is
		 * the session that it continues.
		 */
		readonly trackChanges?: (session: string, emit: (event: AgentEvent) => void, parent?: string) => ChangeTracker;
	};

/** What a command may do with a session. */
type SessionVerbs = {
	/** Starts an empty session. */
	readonly start: () => Promise<void>;
	readonly rename: (title: string) => void;
	/**
	 * Continues in a new session that holds everything so far, or everything before a message of the user, so that the message
	 * can be replaced. The old session stays as it is. Throws `AppError` if the log cannot be read or is not complete; the
	 * current session then stays open.
	 */
	readonly fork: (beforeMessage?: string) => Promise<void>;
	/**
	 * Replaces the conversation by a summary for the model; `guidance` says what to keep. Resolves when that has ended.
	 * Throws AppError("conflict") during a run.
	 */
	readonly compact: (guidance?: string) => Promise<void>;
	/** Undoes the last compaction. Returns false if there is none to undo. */
	readonly undoCompaction: () => boolean;
	/** Pins a message by its id, or no longer: compactions keep pinned messages word for word. */
	readonly pin: (id: string, pinned: boolean) => void;
	/** Sets what the session may cost; a budget that is left out has no limit. */
	readonly setBudgets: (budgets: Budgets) => void;
	/** Records that the user took changes of files back. The model has to read files again. */
	readonly restored: (event: Extract<AgentEvent, {type: 'restore'}>) => void;
};

/** The session on screen, as commands use it. A shell has none. */
export type LiveSession = SessionVerbs & {
	/** Sends a message to the agent, after the questions that it needs. */
	readonly send: (text: string) => void;
	/** Follows a log, in a panel if there is a screen. Resolves when no line arrives any more without the user. */
	readonly followLog: (log: LogToFollow, signal: AbortSignal) => Promise<void> | void;
	/** Stops following the log of an environment. Returns one line about it, '' for one that is not open. */
	readonly closeLog: (environment: string) => string;
};

export type Conversation = SessionVerbs & {
	/**
	 * Starts a run with this message, or queues it during a run. Resolves when the run has ended. `startedBy` says who sent it
	 * if the user did not by hand, `mentionsIn` is the part of it in which mentions count; all of it if left out.
	 */
	readonly send: (text: string, startedBy?: RunStarter, mentionsIn?: string) => Promise<void>;
	/**
	 * Runs a command of the user in their shell; the next message carries its output to the model. Resolves when it has ended.
	 * Throws AppError("conflict") during a run.
	 */
	readonly runCommand: (command: string, signal: AbortSignal) => Promise<void>;
	/** False if its runs have used all turns since the last message that the user sent. */
	readonly hasTurns: () => boolean;
	/** Returns whether the user agreed to where a request for a model would go now. Throws `AppError` without a key for it. */
	readonly isAgreed: (model: string | undefined) => Promise<boolean>;
	/** Ends the current run, if there is one. */
	readonly interrupt: () => void;
	/** Shows the user a note that the model does not read. During a run it would cut an answer in two. */
	readonly notice: (text: string, hint?: string) => void;
	/** Ends the current run and continues a session that was read from its log. */
	readonly open: (transcript: Transcript, log: RecordLog) => Promise<void>;
	/** Records that our own agent answers again. */
	readonly agentLeft: () => void;
	/** Records a change of the session's rules. */
	readonly ruleChanged: (event: Extract<AgentEvent, {type: 'session-rule'}>) => void;
	/** Records what somebody did at an attached terminal. */
	readonly present: (event: Extract<AgentEvent, {type: 'presence'}>) => void;
	/** Applies the events so far to the store, before something is asked that follows from them. */
	readonly flush: () => void;
	/** Waits until every event so far is in the log, or can't be written. Events may follow. */
	readonly saved: () => Promise<void>;
	/** Waits until every event so far outlives this process, or the state says that it isn't saved (SAFETY 19). */
	readonly settled: () => Promise<void>;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/** A place in which one session at a time is open, with its run. The verbs of a conversation act on it. */
export type OpenSession = {
	readonly store: AppStore;
	readonly recorder: Recorder;
	readonly runs: Runs;
	readonly commands: UserCommands;
	/** Returns what the session has been granted. */
	readonly grants: () => SessionGrants;
	/** Records an event, and applies it to the store. */
	readonly emit: (event: AgentEvent) => void;
	/** Ends the session and opens another one, an empty one by default. */
	readonly replace: (transcript?: Transcript, log?: RecordLog) => Promise<void>;
	readonly fork: (beforeMessage?: string) => Promise<void>;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/** Opens an empty session. It builds nothing itself: models, tools and logs are passed in. */
export function openSession(parts: SessionParts): OpenSession {
	const {store, newId, createApprovals, openLog} = parts;
	const recorder = createRecorder(parts);
	const runs = createRuns(parts, recorder);
	let grants: SessionGrants;

	const begin = (
		transcript: Transcript,
		log?: RecordLog,
		parent?: {readonly session: string; readonly bindings: SessionBindings | undefined},
	) => {
		const changes = parts.trackChanges?.(transcript.session, emit, parent?.session);
		const bindings = parent?.bindings?.fork() ?? parts.createBindings?.(transcript);
		grants = {
			approvals: createApprovals(transcript.rules),
			readFiles: new Map(),
			unpricedModels: new Set(),
			changes,
			counts: createCapCounts(),
			starter: {startedBy: 'user'},
			bindings,
			external: parts.openExternal?.(() => store.getState().transcript),
		};
		recorder.begin(transcript, log);
		if (transcript.seq < 0) {
			bindings?.select(store.getState().model);
		}
	};

	const emit = (event: AgentEvent) => {
		runs.emit(event);
		recorder.flush();
	};

	const commands = createUserCommands(parts, emit);
	const finish = async () => {
		await commands.end();
		await runs.end();
		await Promise.all([parts.endTools?.(), grants.external?.end()]);
		await grants.changes?.close();
		await recorder.close();
	};

	begin(emptyTranscript(newId()));
	const unfollow = store.subscribe(({modelChoice}, before) => {
		if (modelChoice !== before.modelChoice && (parts.isFront?.() ?? true)) {
			grants.bindings?.select(modelChoice.model);
		}
	});

	return {
		store,
		recorder,
		runs,
		commands,
		grants: () => grants,
		emit,
		async replace(transcript = emptyTranscript(newId()), log) {
			await finish();
			begin(transcript, log);
		},
		async fork(before) {
			await runs.end();
			const records = await readSaved(recorder, parts);
			const parent = {session: recorder.session(), bindings: grants.bindings};
			await finish();
			const session = newId();
			const kept = forkedRecords(records, session, before);
			const log = openLog(session);
			begin(replayTranscript(session, kept), log, parent);
			kept.forEach(log.append);
		},
		async close() {
			unfollow();
			await finish();
		},
	};
}

/**
 * Creates the conversation with the session in front: messages in, runs of the agent, every event to the recorder. Each
 * verb acts on the session that `front` returns by then. What works in a session waits until a change of it has ended.
 */
export function createConversation(front: () => OpenSession, {inSession, change}: SessionSwitch): Conversation {
	const emit = (event: AgentEvent) => front().emit(event);

	return {
		send: (text, startedBy, mentionsIn) =>
			inSession(() => {
				const {commands, runs, grants} = front();
				return commands.before(() => runs.send({text, startedBy, mentionsIn}, grants()));
			}),
		runCommand: (command, signal) => inSession(() => front().commands.run(command, signal)),
		compact: guidance => inSession(() => front().runs.compact(guidance, front().grants())),
		undoCompaction() {
			const {recorder, store} = front();
			recorder.flush();
			const {folded} = store.getState().transcript;
			if (folded) {
				emit({type: 'compaction-undo', id: folded.id});
			}

			return folded !== undefined;
		},
		pin: (id, pinned) => emit({type: 'pin', id, pinned}),
		setBudgets: ({turn, session}) => emit({type: 'budget', turn, session}),
		hasTurns() {
			const {counts} = front().grants();
			return counts.used('turns') < counts.limits().turns;
		},
		isAgreed: async model => (await front().grants().bindings?.covers(model)) ?? true,
		interrupt: () => front().runs.interrupt(),
		rename: title => emit({type: 'rename', title}),
		notice: (text, hint) => emit({type: 'notice', level: 'info', text, ...(hint !== undefined && {hint})}),
		start: () => change(() => front().replace()),
		open: (transcript, log) => change(() => front().replace(transcript, log)),
		fork: before => change(() => front().fork(before)),
		agentLeft: () => emit({type: 'agent'}),
		ruleChanged: emit,
		present: emit,
		restored(event) {
			const {readFiles, changes} = front().grants();
			readFiles.clear();
			emit(event);
			void changes?.restored(event);
		},
		flush: () => front().recorder.flush(),
		saved: () => front().recorder.flushLog(),
		settled: () => front().recorder.settleLog(),
		close: () => front().close(),
	};
}

type Message = Extract<Beginning, {readonly text: string}>;

type Runs = {
	readonly emit: (event: AgentEvent) => void;
	/** Starts a run, or queues the message during one. Resolves when the run has ended. */
	readonly send: (message: Message, grants: SessionGrants) => Promise<void>;
	readonly compact: (guidance: string | undefined, grants: SessionGrants) => Promise<void>;
	readonly interrupt: () => void;
	/** Ends the current run and applies its last events. Whoever started it gets what it throws. */
	readonly end: () => Promise<void>;
};

type Run = {readonly abort: AbortController; readonly done: Promise<void>; readonly server: string};

/** Creates the runs of a conversation: one at a time, each with the server that it started on. */
function createRuns(dependencies: SessionParts, recorder: Recorder): Runs {
	const {store, newId, hide} = dependencies;
	let run: Run | undefined;

	const emit = (event: AgentEvent) => recorder.emit(event, run?.server ?? store.getState().connection.server);

	const execute = async (beginning: Beginning, grants: SessionGrants) => {
		recorder.flush();
		const abort = new AbortController();
		const {flush, show: onPiece, settleLog: saved} = recorder;
		const play = async () => {
			const options = {...dependencies, ...grants, signal: abort.signal, flush, saved, onPiece};
			for await (const event of await startAgent(beginning, options)) {
				emit(event);
			}
		};
		const done = play().finally(() => {
			run = undefined;
			recorder.flush();
			store.getState().setStopping(false);
		});
		run = {abort, done, server: store.getState().connection.server};
		return done;
	};

	return {
		emit,
		async send(message, grants) {
			if (run) {
				const {text, startedBy} = message;
				store.getState().enqueue({id: newId(), text, ...(startedBy && {startedBy})});
				// Who started the run hears how it failed.
				return run.done.catch(() => undefined);
			}

			return execute(message, grants);
		},
		async compact(guidance, grants) {
			if (run) {
				throw new AppError('conflict', 'The agent is working.', {hint: 'Wait until it is done, or interrupt it.'});
			}

			return execute({compact: {guidance: guidance && hide(guidance)}}, grants);
		},
		interrupt() {
			if (run) {
				store.getState().setStopping(true);
				run.abort.abort();
			}
		},
		async end() {
			run?.abort.abort();
			await run?.done.catch(() => undefined);
			recorder.flush();
		},
	};
}

type Saved = {
	readonly store: AppStore;
	/** Returns the records of a session whose log was flushed. */
	readonly readLog: (session: string) => Promise<readonly Recorded[]>;
};

/** Returns all records of the current session. Throws AppError("conflict") if the last ones could not be written. */
async function readSaved(recorder: Recorder, {store, readLog}: Saved): Promise<readonly Recorded[]> {
	await recorder.flushLog();
	const {unsaved} = store.getState();
	if (unsaved) {
		throw new AppError('conflict', `This session is not saved (${unsaved}), so it cannot continue from there.`, {
			hint: 'Fix that first, or send it as a new message.',
		});
	}

	return readLog(recorder.session());
}

/**
 * Returns the records of a session for another one: all, or those before a message of the user without the start of the run
 * that it belongs to. Rules of the session that allowed something since then are left out; those that deny something, or
 * take a rule back, stay.
 */
function forkedRecords(records: readonly Recorded[], session: string, before?: string): readonly Recorded[] {
	const kept = withRunEnded(before === undefined ? records : recordsBefore(records, before));
	const rules = before === undefined ? [] : rulesSince(records, before);
	return [...kept, ...rules].map((record, seq) => ({...withoutAgentSession(record), seq, session}));
}

/** Returns a record that continues no session of another agent, which knows what came later. */
function withoutAgentSession(record: Recorded): Recorded {
	return record.event.type === 'agent' ? {...record, event: {...record.event, session: undefined}} : record;
}

function recordsBefore(records: readonly Recorded[], messageId: string): readonly Recorded[] {
	return records.slice(0, startOf(records, messageId));
}

/** Returns the records with the end of a run that has none: a message joined it later, or its program was killed. */
function withRunEnded(records: readonly Recorded[]): readonly Recorded[] {
	const last = records.findLast(({event}) => event.type === 'run-start' || event.type === 'run-end');
	const event: AgentEvent = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};
	return last?.event.type === 'run-start' ? [...records, {...last, at: records.at(-1)?.at ?? last.at, event}] : records;
}

/** Returns the changes of rules since a message that leave the agent no more than it had before that. */
function rulesSince(records: readonly Recorded[], messageId: string): readonly Recorded[] {
	return records
		.slice(startOf(records, messageId))
		.filter(({event}) => event.type === 'session-rule' && (event.effect === 'allow') === (event.removed === true));
}

function startOf(records: readonly Recorded[], messageId: string): number {
	const index = records.findIndex(({event}) => event.type === 'user-message' && event.id === messageId);
	const end = records[index - 1]?.event.type === 'run-start' ? index - 1 : index;
	return Math.max(0, end);
}
