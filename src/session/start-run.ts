import type {ChangeTracker} from '../agent/changes/change-tracker.ts';
import type {ModelWindows} from '../agent/context/model-windows.ts';
import type {CompactionAccess} from '../agent/context/sent-history.ts';
import type {ExternalSession} from '../agent/external/external-session.ts';
import type {QueuedMessage, RunStarter} from '../agent/history.ts';
import type {Hooks} from '../agent/hooks.ts';
import {attachImages, type ImageStore, seesImages} from '../agent/images/model-images.ts';
import type {Mentions} from '../agent/mentions/read-mentions.ts';
import type {Retry} from '../agent/model-retry.ts';
import type {BeforeRequest} from '../agent/model-turn.ts';
import type {LedgerOptions} from '../agent/request-usage.ts';
import {runAgent} from '../agent/run.ts';
import type {OpenTask} from '../agent/run-task.ts';
import type {ModelBinding, SessionBindings} from '../agent/session-bindings.ts';
import type {RunTools, ToolPlace} from '../agent/tool-turn.ts';
import type {UserShell} from '../agent/user-shell.ts';
import {abortable} from '../core/abortable.ts';
import {type CapCounts, type CapLimits, defaultLimits} from '../core/caps.ts';
import type {CommandPlace} from '../core/command-words.ts';
import {AppError} from '../core/error.ts';
import {formatDate} from '../core/format.ts';
import type {RedrawnOutput} from '../core/output/recorded-output.ts';
import {recordedStyles, type StyleRange} from '../core/output/text-styles.ts';
import {pinnedMessages, usedWindow} from '../core/session/compaction.ts';
import type {AgentEvent} from '../core/session/event.ts';
import {toMessages} from '../core/session/read-conversation.ts';
import type {RunWarning, Tool} from '../core/session/tool.ts';
import {blocksOf, type Transcript} from '../core/session/transcript.ts';
import {isTurn, type PriceOf, totalCost} from '../core/session/usage.ts';
import {pendingCommands} from '../core/session/user-message.ts';
import type {AskModel, ModelCall} from '../providers/provider.ts';
import type {AppStore} from '../store/store.ts';
import type {BudgetLimits} from './budget-guard.ts';
import type {Recorder} from './recorder.ts';

/** What the runs of a conversation need. */
export type RunDependencies = {
	readonly store: AppStore;
	/** Returns the time as ISO 8601 in UTC. */
	readonly now: () => string;
	readonly newId: () => string;
	/**
	 * Binds the model to its host and key, and to the tools of a sub-agent if they are given. `binding` is what the user agreed
	 * to; left out for where the model is now. Throws `AppError` if the user has to provide one.
	 */
	readonly openModel: (model: string | undefined, task?: readonly Tool[], binding?: ModelBinding) => Promise<ModelCall>;
	/** False in the background, where nobody sees where requests go. */
	readonly isFront?: () => boolean;
	/** Returns the tools that may be called now. Waits for those that are starting, until the signal aborts. */
	readonly loadTools: (signal?: AbortSignal) => Promise<readonly Tool[]>;
	/** Returns what the user should know about missing tools, once. */
	readonly toolWarnings?: () => readonly RunWarning[];
	readonly workspace: () => string;
	/** Returns the hooks of a session. Throws AppError("failed") if the user's own settings are invalid. */
	readonly loadHooks?: (session: string) => Promise<Hooks | undefined>;
	/** Keeps the images that the model is shown; without it, it sees none. */
	readonly images?: ImageStore;
	/** The context windows of models; without it, all are unknown. */
	readonly windows?: ModelWindows;
	/** Returns the share of the window at which conversations are compacted; a default if it has none. */
	readonly compactionShare?: () => Promise<number | undefined>;
	/** Returns what a request is priced by; undefined if that is unknown. */
	readonly priceRequest?: LedgerOptions['priceOf'];
	/** Repeats requests that failed; with the waits of SAFETY 23 by default. */
	readonly retry?: Retry;
	/** What messages may mention besides the files of the working folder and open logs; left out for nothing at all. */
	readonly mentions?: Omit<Mentions, 'logs'>;
	/** The turns of a script, its sub-agents aside. */
	readonly maxTurns?: number;
	/** Returns the caps of a run that begins now; the default ones without it. */
	readonly capLimits?: () => Promise<CapLimits>;
	/** See `RunTools`. */
	readonly maskResult?: RunTools['maskResult'];
	/** Returns where the user reads what the model tells them of commands; left out for the app. */
	readonly commandPlace?: () => CommandPlace;
	/** The budgets of the user; without it, there are none. */
	readonly limits?: Omit<BudgetLimits, 'runUsd'>;
	/** The most US dollars that a run may cost, and the prices to count it by, loaded before the first call. */
	readonly budget?: {readonly limitUsd: number; readonly loadPrices: () => Promise<PriceOf>};
};

/** What the user allowed and the model has read is valid for one session. */
export type SessionGrants = {
	readonly approvals: {readonly startRun: (startedBy?: () => RunStarter) => ToolPlace['approvals']};
	readonly readFiles: Map<string, string>;
	/** The models of which the user was told that no budget stops them, because their price is unknown. */
	readonly unpricedModels: Set<string>;
	readonly changes: ChangeTracker | undefined;
	/** What its runs have used of their caps since the last message that the user sent. */
	readonly counts: CapCounts;
	/** Who started what the session works on, or worked on last. */
	readonly starter: {startedBy: RunStarter};
	/** The other agents that answer in place of our own; left out where none can. */
	readonly external?: ExternalAccess | undefined;
	/** Where its requests may go; left out for anywhere. */
	readonly bindings?: SessionBindings | undefined;
};

/** The agent that answers in a session, if it isn't our own. */
export type ExternalAccess = {
	/** Returns the session with the selected agent, which its first use starts; undefined for our own agent. */
	readonly current: () => ExternalSession | undefined;
	/** Ends what was started. */
	readonly end: () => Promise<void>;
};

type SessionRun = RunDependencies &
	SessionGrants & {
		readonly signal: AbortSignal;
		/** Applies what waits to the store, before usage is read from there. */
		readonly flush: () => void;
		/** Waits until the events so far are saved, or it was said that they aren't. */
		readonly saved: () => Promise<void>;
		/** Shows a piece of a call that is being written. */
		readonly onPiece: Recorder['show'];
	};

/**
 * What a run begins with: a message of the user or of a watch, or the compaction of the conversation so far. Queued messages
 * follow it.
 */
export type Beginning =
	| {
			readonly text: string;
			readonly startedBy?: RunStarter | undefined;
			readonly mentionsIn?: string | undefined;
	  }
	| {readonly compact: {readonly guidance: string | undefined}};

/** Starts the agent on the conversation so far. */
export async function startAgent(beginning: Beginning, options: SessionRun): Promise<AsyncIterable<AgentEvent>> {
	const external = options.external?.current();
	if (external) {
		const {startExternal} = await import('./start-external.ts');
		if (!('text' in beginning)) {
			throw compactsItself(external.command.name);
		}

		const nextMessages = followStarter(beginning, options);
		const prompt = promptOf(beginning, options.newId(), options.store.getState().transcript);
		return startExternal(external, {...options, prompt, nextMessages});
	}

	const {store, newId, loadTools, signal, starter, maxTurns, counts} = options;
	const {model, transcript} = store.getState();
	const budget = await openBudget(options);
	const hooks = await options.loadHooks?.(transcript.session);
	const list = await loadTools(signal);
	const nextMessages = followStarter(beginning, options);
	const startedBy = () => starter.startedBy;
	counts.setLimits(atLeast(maxTurns, (await options.capLimits?.()) ?? defaultLimits));
	const openBound = bindRequests(options, startedBy);
	if (startedBy() === 'watch') {
		// Nobody is asked, so a run that would stop at its first request doesn't begin.
		await openBound.check(model);
	}

	return runAgent({
		runId: newId(),
		newId,
		signal,
		requests: {
			model: model ?? 'none',
			ask: askWith(options, openBound),
			cause: 'text' in beginning && beginning.startedBy === 'watch' ? 'watch' : undefined,
			priceOf: options.priceRequest,
			sentBefore: lastTurnOf(transcript)?.prefix?.count,
			beforeRequest: await openBudgetGuard(list, options),
			retry: options.retry,
			onPiece: options.onPiece,
		},
		conversation: {
			messages: toMessages(transcript),
			...('text' in beginning ? {prompt: promptOf(beginning, newId(), transcript)} : beginning),
			nextMessages,
			warnings: options.toolWarnings?.() ?? [],
			dates: datesOf(transcript, options),
			mentions: options.mentions && {...options.mentions, logs: () => store.getState().logs},
			compaction: {
				...windowsOf(options),
				usedTokens: usedWindow(transcript),
				share: await options.compactionShare?.(),
				pinned: () => pinnedIn(options),
			},
		},
		tools: {
			list,
			next: () => loadTools(signal),
			openTask: openTaskWith(options, openBound),
			changes: options.changes,
			saved: options.saved,
			hooks,
			images: imagesFor(model, options.images),
			maskResult: options.maskResult,
		},
		place: {
			workspace: options.workspace(),
			readFiles: options.readFiles,
			approvals: options.approvals.startRun(startedBy),
			commandPlace: options.commandPlace?.(),
		},
		limits: {maxTurns, counts, budget},
	});
}

function compactsItself(name: string): AppError {
	return new AppError('conflict', `${name} keeps its own context, which only it can compact.`, {
		hint: 'Send it its own command for that, if it has one.',
	});
}

/** Returns what keeps the images that tools show a model; undefined if it sees none. */
function imagesFor(model: string | undefined, images: ImageStore | undefined): RunTools['images'] {
	return images && model && seesImages(model) ? {...images, isSeen: type => seesImages(model, type)} : undefined;
}

/**
 * Follows who started what a run works on, and counts from 0 after each message of the user. A run that the user started becomes unattended with messages of watches alone, and
 * one of a watch is the user's once they join it.
 */
function followStarter(beginning: Beginning, {store, starter, counts}: SessionRun): () => readonly QueuedMessage[] {
	const onMessage = (by: RunStarter) => {
		starter.startedBy = by;
		if (by === 'user') {
			counts.reset();
		}
	};
	if ('text' in beginning) {
		onMessage(beginning.startedBy ?? 'user');
	} else {
		starter.startedBy = 'user';
	}

	// What is queued by the first turn joins the beginning.
	let isBeginning = true;
	return () => {
		const queue = store.getState().takeQueue();
		if (queue.some(message => message.startedBy !== 'watch')) {
			onMessage('user');
		} else if (queue.length > 0 && !isBeginning) {
			onMessage('watch');
		}

		isBeginning = false;
		return queue;
	};
}

/** Returns caps that leave a script the turns that its flag allows. */
function atLeast(maxTurns = 0, limits: CapLimits): CapLimits {
	return {...limits, turns: Math.max(maxTurns, limits.turns)};
}

/** The system prompt has the date on which the session began, so that vendors find it in their caches on every day. */
function datesOf({beganAt}: Transcript, {now}: SessionRun) {
	return {begun: formatDate(beganAt ?? now()), today: () => formatDate(now())};
}

function lastTurnOf({usage}: Transcript) {
	return [...usage.values()].findLast(isTurn);
}

/** Returns a message with the output of the commands that the user ran before it. */
function promptOf(
	{text, mentionsIn}: Extract<Beginning, {readonly text: string}>,
	id: string,
	transcript: Transcript,
): QueuedMessage {
	const commands = pendingCommands(blocksOf(transcript));
	return {id, text, ...(mentionsIn !== undefined && {mentionsIn}), ...(commands.length > 0 && {commands})};
}

/** Opens a model where the user agreed that it may be, for one request. */
type OpenBound = {
	readonly open: (model: string | undefined, signal: AbortSignal, task?: readonly Tool[]) => Promise<ModelCall>;
	/** Throws AppError("failed") if the next request would need the user's agreement, and they can't be asked. */
	readonly check: (model: string | undefined) => Promise<void>;
};

/** Returns what opens models for the requests of a run: sub-agents, compactions and repeated attempts included. */
function bindRequests(
	{bindings, openModel, isFront = () => true, saved, signal: ofRun}: SessionRun,
	startedBy: () => RunStarter,
): OpenBound {
	const bind = bindings?.startRun();
	const agreed = async (model: string | undefined, signal: AbortSignal) => {
		const isAttended = startedBy() === 'user' && isFront();
		return bind?.(model, {isAttended, signal: AbortSignal.any([signal, ofRun])});
	};
	return {
		async open(model, signal, task) {
			// Meanwhile the disk works. No host sees what a killed program would lose (SAFETY 17).
			const isSaved = saved();
			const call = await openModel(model, task, await agreed(model, signal));
			await abortable(isSaved, AbortSignal.any([signal, ofRun]));
			return call;
		},
		async check(model) {
			await agreed(model, ofRun);
		},
	};
}

/** Returns what knows the windows of models. Hosts are asked only where the user agreed that requests go: nobody is asked for it. */
function windowsOf({windows, bindings}: SessionRun): Omit<CompactionAccess, 'usedTokens' | 'pinned'> {
	return {
		windowSize: async of => windows?.sizeOf(of),
		async findWindow(of, signal) {
			const isAgreed = await (bindings?.covers(of) ?? true);
			return isAgreed ? windows?.find(of, signal) : undefined;
		},
		learnWindow: windows?.learn,
		otherRefusals: windows?.otherRefusals,
	};
}

/** Returns the call of the selected model, with its images if it sees any. */
function askWith({store, images}: SessionRun, {open}: OpenBound): AskModel {
	const {model} = store.getState();
	return async (messages, signal, plain) => {
		const call = await open(model, signal);
		return call(images ? await attachImages(messages, model ?? '', images) : messages, signal, plain);
	};
}

/** Returns what opens the models of sub-agents, with their images if they see any. */
function openTaskWith({store, images, signal: ofRun}: SessionRun, {open}: OpenBound): OpenTask {
	return async (wanted, tools) => {
		const selected = wanted ?? store.getState().model;
		const model = selected ?? 'none';
		// A model that can't be used is an error of the call that names it.
		await open(selected, ofRun, tools);
		const ask: AskModel = async (messages, signal, plain) => {
			const sent = images ? await attachImages(messages, model, images) : messages;
			return (await open(selected, signal, tools))(sent, signal, plain);
		};
		return {model, ask};
	};
}

/** Returns what stops the run before a request that would pass a budget. */
async function openBudgetGuard(
	tools: readonly Tool[],
	{store, flush, limits, budget, unpricedModels}: SessionRun,
): Promise<BeforeRequest | undefined> {
	if (!limits) {
		return undefined;
	}

	const {createBudgetGuard} = await import('./budget-guard.ts');
	const session = {
		tools,
		unpricedModels,
		usage() {
			flush();
			return store.getState().transcript.usage;
		},
		// A change of them never waits, so that a session without budgets draws nothing before its request is sent.
		budgets: () => store.getState().transcript.budgets,
	};
	return createBudgetGuard(session, {...limits, runUsd: budget?.limitUsd});
}

async function openBudget({store, budget, flush}: SessionRun) {
	if (!budget) {
		return undefined;
	}

	const {transcript} = store.getState();
	const priceOf = await budget.loadPrices();
	/** Returns the cost of this run in US dollars; null if a price is unknown. */
	const spentUsd = () => {
		flush();
		return totalCost([...store.getState().transcript.usage.values()].slice(transcript.usage.size), priceOf);
	};
	return {limitUsd: budget.limitUsd, spentUsd};
}

function pinnedIn({store, flush}: SessionRun) {
	flush();
	const {transcript} = store.getState();
	return pinnedMessages(blocksOf(transcript), transcript.pins);
}

type Dependencies = {
	readonly store: AppStore;
	readonly newId: () => string;
	readonly workspace: () => string;
	/** Loads what runs commands; left out where there are none. */
	readonly loadShell?: () => Promise<UserShell>;
};

export type UserCommands = {
	/** Runs a command, and records it. Throws AppError("conflict") during a run. */
	readonly run: (command: string, signal: AbortSignal) => Promise<void>;
	/** Does something once no command runs; at once if none does. */
	readonly before: (act: () => Promise<void>) => Promise<void>;
	/** Ends what runs. */
	readonly end: () => Promise<void>;
};

/** Creates the commands that the user runs with `!`. The next message carries their output to the model. */
export function createUserCommands(
	{store, newId, workspace, loadShell}: Dependencies,
	emit: (event: AgentEvent) => void,
): UserCommands {
	const running = new Map<AbortController, Promise<void>>();

	const execute = async (command: string, signal: AbortSignal) => {
		const id = newId();
		emit({type: 'user-command', id, command});
		const onOutput = (text: string, styles: readonly StyleRange[], redrawn?: RedrawnOutput) =>
			emit({type: 'tool-output', id, text, ...recordedStyles(styles), ...redrawn});
		try {
			const runShell = await loadShell?.();
			const end = await runShell?.(command, {folder: workspace(), signal, onOutput});
			emit({type: 'user-command-end', id, ...(end ?? notStarted)});
		} catch (error) {
			emit({type: 'user-command-end', id, ...notStarted, ...(error instanceof AppError && {end: error.message})});
			if (!(error instanceof AppError) && !signal.aborted) {
				throw error;
			}
		}
	};

	return {
		async run(command, signal) {
			if (store.getState().transcript.run) {
				throw new AppError('conflict', "A command can't run while the agent works.", {
					hint: 'Wait until it is done, or interrupt it.',
				});
			}

			const abort = new AbortController();
			const done = execute(command, AbortSignal.any([signal, abort.signal])).finally(() => running.delete(abort));
			running.set(abort, done);
			await done;
		},
		before: act => (running.size === 0 ? act() : Promise.allSettled(running.values()).then(act)),
		async end() {
			for (const abort of running.keys()) {
				abort.abort();
			}

			await Promise.allSettled(running.values());
		},
	};
}

const notStarted = {output: '', end: 'it did not start', status: 'failed', milliseconds: 0} as const;
