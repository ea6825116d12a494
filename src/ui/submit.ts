import {setTimeout as sleep} from 'node:timers/promises';
import type {LiveSession} from '../command/context.ts';
import {dispatch} from '../command/dispatch.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import {commandWords, isCommandLine, withoutSecret} from '../command/line.ts';
import {logInPlace} from '../command/log-in-place.ts';
import type {Program} from '../command/program.ts';
import {renderResult} from '../command/render.ts';
import type {Result} from '../command/result.ts';
import {findCommand} from '../command/table.ts';
import {isPlainWord} from '../command/words.ts';
import {AppError, reportError} from '../core/error.ts';
import {formatNumber} from '../core/format.ts';
import {setComposerText} from '../store/composer.ts';
import type {AppStore} from '../store/store.ts';
import {safeText} from '../terminal/safe-text.ts';
import type {Palette} from '../terminal/style.ts';
import {truncate} from '../terminal/width.ts';
import {wrapLine} from '../terminal/wrap.ts';
import {messageLines} from './block-lines.ts';
import type {AppInteraction} from './interaction.ts';
import type {LogPlace} from './log-place.ts';
import type {Painter} from './painter.ts';

type Dependencies = Pick<Program, 'conversation' | 'entries' | 'contextFor' | 'resume' | 'remember'> & {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly painter: Painter;
	readonly interact: AppInteraction;
	readonly logs: LogPlace;
	readonly wipe: () => void;
	readonly quit: () => void;
	/** True for a line that stands on the screen already, as it was typed; none does by default. */
	readonly isOnScreen?: ((line: string) => boolean) | undefined;
};

export type Submit = {
	/** Takes what was sent from the prompt: a slash line or a message. */
	readonly submit: (text: string) => Promise<void>;
	/** Writes an error or a note above the prompt. */
	readonly tell: (error: unknown) => void;
	/** Ends the commands that work now. */
	readonly cancel: () => void;
};

type Table = Extract<Result, {kind: 'table'}>;
type Shown = {readonly exact: boolean; readonly signal: AbortSignal};
type Browsing = {readonly exact: boolean; readonly ask: NonNullable<AppInteraction['browse']>};

/** Lines that a printed table needs besides its rows: its head, the line that asked for it, prompt and status. */
const chrome = 6;

/** How long a command may hold up the lines that are sent behind it, in milliseconds. */
const patience = 500;

/**
 * Carries out what the user sends, in order: messages go to the agent, slash lines to their commands. A line that is sent
 * while a command takes long does not wait for it.
 */
export function createSubmit(dependencies: Dependencies): Submit {
	const {store, palette, painter, conversation, entries, interact, contextFor, resume, remember, wipe, quit} =
		dependencies;
	const {isOnScreen = () => false, logs} = dependencies;
	/** The commands that work now, with their names. */
	const working = new Map<AbortController, string>();
	/** Settles when a line may take effect: a message behind /new belongs to the new session. */
	let before: Promise<unknown> = Promise.resolve();

	/** The line as it was sent, above what came of it. */
	const echo = (line: string, width: number) =>
		isOnScreen(line)
			? []
			: wrapLine(palette.dim(safeText(withoutSecret(entries, line))), width, {first: palette.dim('❯ '), rest: '  '});

	const tell = (error: unknown, line?: string) => {
		const {message, hint} = reportError(error);
		painter.print(width => [
			...(line === undefined ? [] : echo(line, width)),
			...messageLines('✗', palette.danger, message, hint, {width, palette}),
		]);
	};

	const live: LiveSession = {
		rename: conversation.rename,
		start: conversation.start,
		followLog: logs.follow,
		closeLog: logs.close,
	};

	/** True while an answer goes on that would be cut in two, and nothing is asked in the panel. */
	const isFreeBesideRun = () => {
		const {transcript, panel} = store.getState();
		return transcript.run !== undefined && (panel === undefined || panel.kind === 'lines');
	};

	const show = async (line: string, result: Result, {exact, signal}: Shown) => {
		if (result.kind === 'quit') {
			quit();
		} else if (result.kind === 'panel') {
			await open(result.panel, signal);
		} else if (isFreeBesideRun()) {
			const {columns} = store.getState().size;
			interact.show(withoutSecret(entries, line), renderResult(result, {width: columns, palette, exact}));
		} else if (result.kind === 'table' && result.rows.length > store.getState().size.rows - chrome && interact.browse) {
			void browse(line, result, {exact, ask: interact.browse});
		} else {
			painter.print(width => [...echo(line, width), ...renderResult(result, {width, palette, exact})]);
		}
	};

	/** A table that is longer than the window is looked through in the panel; opening a row is a command of its own. */
	const browse = async (line: string, table: Table, {exact, ask}: Browsing) => {
		const {columns, rows, title = withoutSecret(entries, line), notes = [], opens} = table;
		const said = {kind: 'text', text: `${formatNumber(rows.length)} rows.`, hint: notes.join(' ')} as const;
		painter.print(width => [...echo(line, width), ...renderResult(said, {width, palette})]);
		const id = await ask({kind: 'table', title, columns, rows, exact, ...(opens && {opens})});
		if (opens && id?.split(' ').every(isPlainWord)) {
			await carryOut(`/${[...opens.words, id].join(' ')}`);
		}
	};

	const open = async (panel: Extract<Result, {kind: 'panel'}>['panel'], signal: AbortSignal) => {
		if (panel.show === 'clear') {
			wipe();
			return;
		}

		if (panel.show === 'log') {
			await logs.follow(panel.log, signal);
			return;
		}

		if (panel.show === 'dock') {
			const {focusLog, showLogDock} = store.getState();
			focusLog(panel.focus);
			showLogDock(panel.isShown);
			return;
		}

		const notices = await resume(panel.id);
		for (const notice of notices) {
			painter.print(width => messageLines('!', palette.warning, notice, undefined, {width, palette}));
		}
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
			const note = `── goes on from here anew; the session before is kept as ${kept} ──`;
			painter.print(width => [palette.dim(truncate(note, width))]);
		}

		return {end: conversation.send(text)};
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

			remember(text);
			// What was said of the prompt that now is sent is over.
			store.getState().setToast('');
			const begun: Promise<{readonly end: Promise<void>} | undefined> = before.then(() =>
				isCommandLine(text) ? carryOut(text) : say(text),
			);
			before = Promise.race([begun.catch(() => undefined), sleep(patience, undefined, {ref: false})]);
			await begun.then(run => run?.end).catch(tell);
		},
		cancel() {
			for (const abort of working.keys()) {
				abort.abort();
			}
		},
	};
}
