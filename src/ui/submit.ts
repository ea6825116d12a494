import type {Entry} from '../command/context.ts';
import {dispatch} from '../command/dispatch.ts';
import type {FlaggedWords} from '../command/global-flags.ts';
import {readLine} from '../command/line.ts';
import {asMessage, isCommandLine, isShellLine, messageIn} from '../command/line-kind.ts';
import type {Program} from '../command/program.ts';
import {runConflict} from '../command/run-conflict.ts';
import {findCommand} from '../command/table.ts';
import {AppError} from '../core/error.ts';
import {setComposerText} from '../editor/editor.ts';
import {hintKey} from '../editor/keymap/key-label.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {LiveSession} from '../session/conversation.ts';
import type {AppStore} from '../store/store.ts';
import {truncate} from '../terminal/text/width.ts';
import type {SessionInteraction} from './interaction.ts';
import {returnQueue} from './kept-prompts.ts';
import {createResultView, type ResultDependencies, type ResultView} from './result-view.ts';
import {messageLines} from './transcript/message-lines.ts';

type Dependencies = ResultDependencies & {
	readonly conversation: Program['session']['conversation'];
	readonly contextFor: Program['forCommand'];
	readonly remember: (prompt: string) => void;
	/** Reads the commands of files again if the line names none of those that are known. */
	readonly readEntries: (line: string) => Promise<void>;
	/** Returns the message as the user wants to send it, or undefined if they cancel. */
	readonly messageToSend: (text: string) => Promise<string | undefined>;
	/** Asks what must be answered before the agent gets a message. */
	readonly beforeMessage: (text: string) => Promise<void>;
};

type Parts = Dependencies &
	Pick<ResultView, 'show' | 'tell' | 'begin'> & {
		readonly commands: RunningCommands;
		/** Gets a message that a command sends, until its run begins. */
		readonly onSend: (begun: Promise<unknown>) => void;
	};

export type Submit = {
	/** Runs a slash line or sends a message. Resolves when that has ended. */
	readonly submit: (text: string) => Promise<void>;
	/** Prints an error above the prompt. */
	readonly tell: (error: unknown) => void;
	/** Ends the running commands, and returns messages to the prompt whose run hasn't begun. */
	readonly cancel: () => void;
};

/** A run that has started. */
type Begun = {readonly end: Promise<void>};

/**
 * How long a command may delay the lines that are sent after it, in turns of some milliseconds; and a message until its run
 * begins, which a command such as `/bg` may be about.
 */
const maxDelayTurns = 20;
const maxMessageTurns = 400;
const turnMs = 25;

/** Resolves when work has settled, or after so many turns. They take longer on a busy machine, where the work does, too. */
async function waitTurns(work: Promise<unknown>, turns: number): Promise<void> {
	let isOver = false;
	const end = () => {
		isOver = true;
	};
	const over = work.then(end, end);
	for (let turn = 0; turn < turns && !isOver; turn++) {
		await Promise.race([over, new Promise(resolve => void setTimeout(resolve, turnMs).unref())]);
	}
}

/**
 * Creates the function that carries out what the user sends, in order: messages go to the agent, slash lines to their
 * commands. A line that is sent while a command takes long does not wait for it, but for a message until its run begins.
 */
export function createSubmit(dependencies: Dependencies): Submit {
	const {store, remember} = dependencies;
	const commands = createRunningCommands(store);
	const {show, tell, begin} = createResultView(dependencies, line => carryOut(line));
	/** Settles when the messages that commands have sent are in the session. */
	let sending: Promise<unknown> = Promise.resolve();
	const onSend = (begun: Promise<unknown>) => {
		sending = Promise.allSettled([sending, begun]);
	};
	const parts: Parts = {...dependencies, show, tell, begin, commands, onSend};
	/** Settles when a line may take effect: a message after /new belongs to the new session. */
	let previous: Promise<unknown> = Promise.resolve();

	/** What interrupts the messages whose run hasn't begun. */
	const beginning = new Set<AbortController>();

	const sendMessage = async (text: string): Promise<Begun | undefined> => {
		const abort = new AbortController();
		beginning.add(abort);
		store.getState().setBeginning(true);
		try {
			await previous;
			return await sendIfWanted(text, parts, abort.signal);
		} finally {
			beginning.delete(abort);
			store.getState().setBeginning(beginning.size > 0);
		}
	};

	/** The line that names no command and is still in the prompt: sent once more, it is a message. */
	let unknown: string | undefined;

	/** The message that was refused last: a command that is sent in its place, such as the one that mends it, gives it back. */
	let refused: string | undefined;

	const carryOut = async (line: string): Promise<undefined> => {
		try {
			await runCommand(line, parts);
		} catch (error) {
			if (isUsage(error) && !namesCommand(line, dependencies.entries()) && returnToPrompt(line, store)) {
				unknown = line;
				tell(withWayToSend(error, store), line, true);
				return;
			}

			// What was refused because of a run may be sent again when that has ended.
			const isRefused =
				error instanceof AppError && error.code === 'conflict' && store.getState().transcript.run !== undefined;
			tell(error, line, isRefused && returnToPrompt(line, store));
		}
	};

	const runShell = async (line: string): Promise<undefined> => {
		try {
			const command = line.slice(1).trim();
			await commands.run('!', signal => parts.conversation.runCommand(command, signal));
		} catch (error) {
			tell(error, line, returnToPrompt(line, store));
		}
	};

	return {
		tell,
		async submit(text) {
			if (!text.trim()) {
				return;
			}

			const isSentAgain = text === unknown;
			unknown = undefined;
			const isShell = isShellLine(text);
			const isCommand = isCommandLine(text) && !isSentAgain;
			if (isCommand || isShell) {
				remember(text);
			}

			// A note about the prompt that is sent now is outdated.
			store.getState().setToast('');
			const begun: Promise<Begun | undefined> =
				isCommand || isShell ? previous.then(() => (isCommand ? carryOut(text) : runShell(text))) : sendMessage(text);
			previous = waitTurns(begun, isCommand || isShell ? maxDelayTurns : maxMessageTurns).then(() =>
				waitTurns(sending, maxMessageTurns),
			);
			const message = isCommand || isShell ? refused : undefined;
			refused = undefined;
			try {
				await begun.then(run => run?.end);
			} catch (error) {
				refused = asMessage(text);
				tell(error);
			}

			if (message !== undefined && !returnToPrompt(message, store)) {
				refused = message;
			}
		},
		cancel() {
			commands.cancel();
			for (const abort of beginning) {
				abort.abort();
			}
		},
	};
}

/** True for a line that names a command, whatever its arguments are. */
function namesCommand(line: string, entries: readonly Entry[]): boolean {
	try {
		return line.startsWith('/') && findCommand(entries, line.trim().slice(1).split(/\s+/, 2)) !== undefined;
	} catch {
		return false;
	}
}

function isUsage(error: unknown): error is AppError {
	return error instanceof AppError && error.code === 'usage';
}

/** Returns the error of a line that may have been meant as a message, with the key that sends it as one. */
function withWayToSend({message, hint}: AppError, store: AppStore): AppError {
	const {isLineByLine, keymap} = store.getState();
	const key = isLineByLine ? 'Enter' : hintKey(keymap, 'prompt.send');
	const way = `Press ${key} again to send it as a message.`;
	return new AppError('usage', message, {hint: [hint, way].filter(Boolean).join(' ')});
}

/** Runs a slash line and shows its result. Throws AppError("conflict") for a command that must wait for the run. */
async function runCommand(line: string, parts: Parts): Promise<void> {
	const {store, entries, readEntries, painter, palette, commands, show} = parts;
	const {transcript, setToast, isLineByLine} = store.getState();
	setToast('');
	await readEntries(line);
	const {flags, rest} = readLine(line, entries());
	const {command, path} = findCommand(entries(), rest);
	if (transcript.run && !command.whileRunning) {
		const [typed = path, verb] = rest;
		const name = path === `${typed} ${verb}` ? path : typed;
		throw runConflict(name, isLineByLine);
	}

	await commands.run(path, async signal => {
		try {
			await show(line, await resultOf({line, path, rest, flags}, signal, parts), {exact: flags.exact, signal});
		} catch (error) {
			if (!signal.aborted) {
				throw error;
			}

			painter.print(width =>
				messageLines('■', palette.warning, `/${path} was interrupted.`, undefined, {width, palette}),
			);
		}
	});
}

type Line = FlaggedWords & {readonly line: string; readonly path: string};

/** Executes a command. If it needs a login, offers one and tries again. */
function resultOf({line, path, rest, flags}: Line, signal: AbortSignal, parts: Parts) {
	const {store, contextFor, conversation, logs, painter} = parts;
	const interact = untilAborted(parts.interact, signal);
	const live: LiveSession = {
		...conversation,
		send(text) {
			const begun = sendIfWanted(text, parts);
			parts.onSend(begun);
			void begun.then(run => run?.end).catch(parts.tell);
		},
		followLog: logs.follow,
		closeLog: logs.close,
		restored(event) {
			parts.begin(line);
			conversation.restored(event);
		},
		undoCompaction() {
			if (store.getState().transcript.folded) {
				parts.begin(line);
			}

			return conversation.undoCompaction();
		},
		fork: before => painter.keepScreen(() => conversation.fork(before)),
	};
	const execute = (words: readonly string[], given = flags) =>
		dispatch(words, contextFor({ui: {interact, live}, flags: given, signal}));
	const attempt = () => execute(rest);
	const logIn = (server: string) => execute(['login'], {...flags, server});
	return path === 'login' ? attempt() : logInPlace(attempt, interact.confirm, logIn);
}

/** Returns questions that throw the signal's reason, instead of opening a panel, once it is aborted. */
function untilAborted(interact: SessionInteraction, signal: AbortSignal): SessionInteraction {
	const guarded =
		<Given extends readonly unknown[], Value>(question: (...given: Given) => Promise<Value>) =>
		async (...given: Given) => {
			signal.throwIfAborted();
			return question(...given);
		};
	const {ask, choose, confirm, review} = interact;
	return {
		...interact,
		ask: guarded(ask),
		choose: guarded(choose),
		confirm: guarded(confirm),
		...(review && {review: guarded(review)}),
	};
}

/** Sends a message in the form that the user wants. */
async function sendIfWanted(text: string, parts: Parts, signal?: AbortSignal): Promise<Begun | undefined> {
	const wanted = await parts.messageToSend(text);
	// By now its credentials are known, which the history leaves out.
	parts.remember(asMessage(text));
	if (wanted === undefined || signal?.aborted) {
		returnToPrompt(asMessage(text), parts.store);
		return undefined;
	}

	return send(wanted, parts, signal);
}

/**
 * Sends a message. Resolves when its run has begun, or the signal was aborted before. If that fails, then or later, the message
 * returns to the prompt.
 */
async function send(text: string, parts: Parts, signal?: AbortSignal): Promise<Begun | undefined> {
	try {
		await forkIfEditing(parts);
		await parts.beforeMessage(text);
	} catch (error) {
		returnToPrompt(asMessage(text), parts.store);
		throw error;
	}

	if (signal?.aborted) {
		returnToPrompt(asMessage(text), parts.store);
		return undefined;
	}

	const {conversation, store} = parts;
	const end = conversation.send(messageIn(text)).catch((error: unknown) => {
		returnUnsent(text, store);
		throw error;
	});
	await runOf(end, store);
	if (signal?.aborted) {
		conversation.interrupt();
	}

	return {end};
}

/** Resolves once the agent works, or what would begin that has ended. */
async function runOf(end: Promise<void>, store: AppStore): Promise<void> {
	if (store.getState().transcript.run) {
		return;
	}

	let unsubscribe = () => {};
	const begun = new Promise<void>(resolve => {
		unsubscribe = store.subscribe(({transcript}) => (transcript.run ? resolve() : undefined));
	});
	await Promise.race([begun, end.catch(() => undefined)]).finally(() => unsubscribe());
}

/** Returns a message to the prompt, and what was queued behind it: that must not join another run. */
function returnUnsent(text: string, store: AppStore): void {
	if (store.getState().composer.text) {
		returnQueue(store);
	} else {
		const queued = store.getState().takeQueue();
		returnToPrompt(asMessage([text, ...queued.map(message => message.text)].join('\n')), store);
	}
}

/** Continues in a new session if the message replaces an earlier one. */
async function forkIfEditing({store, painter, palette, conversation}: Parts): Promise<void> {
	const {editing, transcript, editPrompt} = store.getState();
	if (editing === undefined || transcript.run) {
		return;
	}

	const old = transcript.session.slice(0, 8);
	await painter.keepScreen(() => conversation.fork(editing));
	editPrompt({editing: undefined, toast: ''});
	const text = `continues from here in a new session; the previous one is ${old}`;
	const note = palette.spoken ? `Note: ${text}` : `── ${text} ──`;
	painter.print(width => [palette.dim(truncate(note, width))]);
}

/** Puts a text back into the prompt. Returns false if the user has typed something else there. */
function returnToPrompt(text: string, store: AppStore): boolean {
	const {composer, setComposer} = store.getState();
	if (composer.text) {
		return false;
	}

	setComposer(setComposerText(composer, text));
	return true;
}

type RunningCommands = {
	/** Runs a command under its name, with a signal that `cancel` aborts. */
	readonly run: <T>(name: string, execute: (signal: AbortSignal) => Promise<T>) => Promise<T>;
	/** Aborts every running command. */
	readonly cancel: () => void;
};

/** Keeps track of the commands that run now; the store shows the one that started last. */
function createRunningCommands(store: AppStore): RunningCommands {
	const running = new Map<AbortController, string>();
	return {
		async run(name, execute) {
			const abort = new AbortController();
			running.set(abort, name);
			store.getState().setBusy(true, name);
			try {
				return await execute(abort.signal);
			} finally {
				running.delete(abort);
				store.getState().setBusy(running.size > 0, [...running.values()].at(-1));
			}
		},
		cancel() {
			for (const abort of running.keys()) {
				abort.abort();
			}
		},
	};
}

/**
 * Runs a command. If its server requires a login, offers one and runs the command again; the server did nothing for the
 * first, unauthenticated request. `logIn` logs in to a server, as the `login` command does. Throws what `run` throws if the
 * user declines, and what the login throws.
 */
export async function logInPlace<T>(
	run: () => Promise<T>,
	confirm: Interaction['confirm'],
	logIn: (server: string) => Promise<unknown>,
): Promise<T> {
	try {
		return await run();
	} catch (error) {
		const server = error instanceof AppError ? error.logInTo : undefined;
		if (!server || !(await confirm(`You aren't logged in to ${server}. Log in now?`))) {
			throw error;
		}

		await logIn(server);
		return run();
	}
}
