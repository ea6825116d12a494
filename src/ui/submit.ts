import {setTimeout as sleep} from 'node:timers/promises';
import type {LiveSession} from '../command/context.ts';
import {dispatch} from '../command/dispatch.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import {commandWords, isCommandLine} from '../command/line.ts';
import type {Program} from '../command/program.ts';
import {findCommand} from '../command/table.ts';
import {AppError} from '../core/error.ts';
import {setComposerText} from '../editor/editor.ts';
import {logInPlace} from '../platform/log-in-place.ts';
import {truncate} from '../terminal/text/width.ts';
import {createResultView, type ResultDependencies} from './result-view.ts';
import {messageLines} from './transcript/block-lines.ts';

type Dependencies = ResultDependencies &
	Pick<Program, 'conversation' | 'contextFor' | 'remember'> & {
		/** The message as the user wants it sent; undefined where they cancel. */
		readonly messageToSend: (text: string) => Promise<string | undefined>;
		/** Asks what must be answered before the agent gets a message. */
		readonly beforeMessage: () => Promise<void>;
	};

export type Submit = {
	/** Takes what was sent from the prompt: a slash line or a message. */
	readonly submit: (text: string) => Promise<void>;
	/** Writes an error or a note above the prompt. */
	readonly tell: (error: unknown) => void;
	/** Ends the commands that work now. */
	readonly cancel: () => void;
};

/** How long a command may hold up the lines that are sent behind it, in milliseconds. */
const commandHoldMs = 500;

/**
 * Carries out what the user sends, in order: messages go to the agent, slash lines to their commands. A line that is sent
 * while a command takes long does not wait for it.
 */
export function createSubmit(dependencies: Dependencies): Submit {
	const {
		store,
		palette,
		painter,
		conversation,
		entries,
		interact,
		contextFor,
		remember,
		logs,
		beforeMessage,
		messageToSend,
	} = dependencies;
	const {show, tell} = createResultView(dependencies, line => carryOut(line));
	/** The commands that work now, with their names. */
	const working = new Map<AbortController, string>();
	/** Settles when a line may take effect: a message behind /new belongs to the new session. */
	let before: Promise<unknown> = Promise.resolve();

	const live: LiveSession = {
		rename: conversation.rename,
		start: conversation.start,
		followLog: logs.follow,
		closeLog: logs.close,
	};

	const run = async (line: string) => {
		const {setBusy, transcript, setToast} = store.getState();
		setToast('');
		const {flags, rest} = takeGlobalFlags(commandWords(line));
		const {command, path} = findCommand(entries, rest);
		if (transcript.run && !command.whileRunning) {
			throw new AppError('conflict', `/${path} has to wait: the agent is at work.`, {hint: 'Esc interrupts it.'});
		}

		const abort = new AbortController();
		working.set(abort, path);
		setBusy(true, path);
		try {
			const {signal} = abort;
			const execute = (words: readonly string[], given = flags) =>
				dispatch(words, contextFor({interact, live, flags: given, signal}));
			const logIn = (server: string) => execute(['login'], {...flags, server});
			const attempt = () => execute(rest);
			const offer = {confirm: interact.confirm, logIn};
			const result = await (path === 'login' ? attempt() : logInPlace(attempt, offer));
			await show(line, result, {exact: flags.exact, signal});
		} catch (error) {
			if (!abort.signal.aborted) {
				throw error;
			}

			painter.print(width =>
				messageLines('■', palette.warning, `/${path} was interrupted.`, undefined, {width, palette}),
			);
		} finally {
			working.delete(abort);
			setBusy(working.size > 0, [...working.values()].at(-1));
		}
	};

	/** What could not be carried out comes back into the prompt, unless something else is typed there by now. */
	const giveBack = (text: string) => {
		const {composer, setComposer} = store.getState();
		if (!composer.text) {
			setComposer(setComposerText(composer, text));
		}
	};

	/**
	 * Sends a message; one that replaces an earlier one goes on from there, in a session of its own. Resolves when the run
	 * has begun, with its end.
	 */
	const say = async (text: string) => {
		const {editing, setEditing, setToast, transcript} = store.getState();
		if (editing !== undefined && !transcript.run) {
			const kept = transcript.session.slice(0, 8);
			try {
				await painter.keepScreen(() => conversation.forkBefore(editing));
			} catch (error) {
				giveBack(text);
				throw error;
			}

			setEditing(undefined);
			setToast('');
			const note = `── continues from here in a new session; the previous one is ${kept} ──`;
			painter.print(width => [palette.dim(truncate(note, width))]);
		}

		try {
			await beforeMessage();
		} catch (error) {
			giveBack(text);
			throw error;
		}

		return {end: conversation.send(text)};
	};

	const sayIfWanted = async (text: string) => {
		const wanted = await messageToSend(text);
		// Now it is known what of it is a credential, which the history leaves out.
		remember(text);
		if (wanted === undefined) {
			giveBack(text);
			return undefined;
		}

		return say(wanted);
	};

	const carryOut = async (line: string): Promise<undefined> => {
		try {
			await run(line);
		} catch (error) {
			tell(error, line);
			if (error instanceof AppError && error.code === 'conflict') {
				giveBack(line);
			}
		}
	};

	return {
		tell,
		async submit(text) {
			if (!text.trim()) {
				return;
			}

			if (isCommandLine(text)) {
				remember(text);
			}

			// What was said of the prompt that now is sent is over.
			store.getState().setToast('');
			const begun: Promise<{readonly end: Promise<void>} | undefined> = before.then(() =>
				isCommandLine(text) ? carryOut(text) : sayIfWanted(text),
			);
			before = Promise.race([begun.catch(() => undefined), sleep(commandHoldMs, undefined, {ref: false})]);
			await begun.then(run => run?.end).catch(tell);
		},
		cancel() {
			for (const abort of working.keys()) {
				abort.abort();
			}
		},
	};
}
