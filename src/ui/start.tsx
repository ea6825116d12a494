import type {Entry} from '../command/command.ts';
import type {RunFlags} from '../command/invocation.ts';
import type {Surroundings} from '../command/program.ts';
import type {TerminalWidths} from '../config/terminal-widths.ts';
import {AppError} from '../core/error.ts';
import {wantsColor} from '../terminal/abilities.ts';
import {canOpenPages, openPage} from '../terminal/browser.ts';
import {createInput, type InputStream} from '../terminal/input.ts';
import {createStandInStdin} from '../terminal/stand-in-stdin.ts';
import {createPalette} from '../terminal/style.ts';
import {createTerminalSession, type ProcessHooks} from '../terminal/terminal-session.ts';
import {followAlerts} from './alerts.ts';
import {App} from './app.tsx';
import {UiContext} from './context.ts';
import {pressInDevicePanel} from './device-keys.ts';
import {followWindow} from './follow-window.ts';
import {createFullScreen} from './full-screen.ts';
import {render} from './ink.ts';
import {createPanelInteraction} from './interaction.ts';
import {createKeyHandler} from './keys.ts';
import type {LogDesk} from './log-desk.ts';
import {focusLogOf} from './log-keys.ts';
import {type AppProgram, type OpenedConversation, openConversation} from './open-conversation.ts';
import {openTranscript} from './open-transcript.ts';
import {createScreen} from './screen.ts';
import {Scrollback} from './scrollback.tsx';
import {searchHistory} from './search-history.ts';
import {measureTerminal} from './terminal-measure.ts';

type AppSurroundings = Pick<Surroundings<keyof AppProgram>, 'compose' | 'store' | 'env' | 'stdout' | 'version'> & {
	readonly stdin: InputStream & NodeJS.ReadStream;
	readonly process: ProcessHooks;
	/** What terminals were measured to be. */
	readonly widths?: TerminalWidths;
};

/**
 * Runs the app until the user leaves. The first frame is drawn before the configuration, the commands and Markdown are
 * loaded; what is typed meanwhile is kept. Gives the exit status. Throws `usage` where there is no terminal.
 */
export async function startApp(
	flags: Partial<RunFlags> & {readonly pick: boolean; readonly prompt?: string},
	surroundings: AppSurroundings,
): Promise<number> {
	const {compose, store, env, stdin, stdout, version, process, widths} = surroundings;
	if (!stdin.isTTY || !stdout.isTTY) {
		throw new AppError('usage', `The app needs a terminal, and standard ${stdin.isTTY ? 'output' : 'input'} is none.`, {
			hint: 'For scripts use `$ -p "prompt"`.',
		});
	}

	const palette = createPalette({color: wantsColor(stdout, env)});
	const screen = createScreen(stdout);
	const standIn = createStandInStdin();
	const interact = createPanelInteraction(store, {opensPages: canOpenPages(env)});
	let write: (data: string) => void = () => undefined;
	let entries: readonly Entry[] = [];
	let logs: LogDesk | undefined;
	let quit: () => void = () => undefined;
	const ended = new Promise<void>(resolve => {
		quit = resolve;
	});

	const session = createTerminalSession({
		stdout,
		process,
		environment: env,
		onSuspend() {
			logs?.suspend();
			input.stop();
			// The shell writes where our part of the screen began, not into the middle of it.
			ink.clear();
			screen.flush();
			// Below a full screen our part still stands: then what is below the caret goes.
			screen.raw('\u001B[J');
		},
		onContinue: () => input.resume(),
		onResume() {
			logs?.wake();
			// Only the shell was told of another size meanwhile: so Node asks again, and knows it after the second turn.
			process.kill(process.pid, 'SIGWINCH');
			setImmediate(() => setImmediate(() => redraw()));
		},
	});

	store.getState().setSize(screen.size());
	session.start();
	session.enable('drawing');
	session.enable('bracketed-paste');
	session.enable('kitty-keyboard');
	const measure = measureTerminal({
		stdout,
		widths,
		onChange: () => (store.getState().transcript.seq < 0 ? screen.emitResize() : redraw()),
	});

	const ink = render(
		<UiContext
			value={{
				store,
				palette,
				entries: () => entries,
				dockLines: size => logs?.dockLines(size) ?? [],
				answer: interact.answer,
			}}
		>
			<Scrollback onReady={writer => (write = writer)} />
			<App />
		</UiContext>,
		{stdin: standIn.stream, stdout: screen.stdout, exitOnCtrlC: false, patchConsole: false, maxFps: 1000},
	);

	/** Ink does not know that the screen was wiped: writing nothing has it draw its part again, from the top. */
	const wipe = (sequence: string) => {
		screen.raw(sequence);
		write('');
	};

	let program: AppProgram | undefined;
	const opening = compose(flags).then(async composed => {
		program = composed;
		({entries} = program);
		const {createLogDesk} = await import('./log-desk.ts');
		logs = createLogDesk({
			store,
			palette,
			fullScreen,
			folder: program.folder.path(),
			homeFolder: env['HOME'],
			copy: session.copy,
			suspend: session.suspend,
			openTranscript: showTranscript,
		});
		return openConversation(program, flags, {
			store,
			palette,
			interact,
			version,
			homeFolder: env['HOME'],
			write: data => write(data),
			wipe: () => wipe('\u001B[H\u001B[2J\u001B[3J'),
			quit,
			logs,
		});
	});

	/** What is asked for before everything is loaded waits; why that failed is told where `opening` is awaited. */
	const whenOpen = (act: (opened: OpenedConversation) => void) => void opening.then(act, () => undefined);

	const redraw = (dropped = 0) => {
		store.getState().setSize(screen.size());
		if (fullScreen.isOpen()) {
			fullScreen.redraw();
			return;
		}

		screen.emitResize();
		// Ink shows the cursor where there is a caret, and would not hide one that the shell left.
		wipe('\u001B[?25l\u001B[H\u001B[2J');
		whenOpen(({painter}) => painter.repaint(dropped));
	};

	const fullScreen = createFullScreen({
		size: () => store.getState().size,
		write: screen.raw,
		enter: () => session.enable('alternate-screen'),
		leave: () => session.disable('alternate-screen'),
		showCursor: isShown => (isShown ? session.disable('hidden-cursor') : session.enable('hidden-cursor')),
		hold() {
			screen.hold();
			whenOpen(({painter}) => painter.hold());
		},
		release() {
			screen.release();
			redraw();
			whenOpen(({painter}) => painter.release());
		},
	});

	const showTranscript = (at?: number) =>
		void openTranscript({
			store,
			palette,
			fullScreen,
			suspend: session.suspend,
			copy: session.copy,
			openLogAt(moment, environment) {
				focusLogOf(store, environment);
				return logs?.openViewer(moment) ?? false;
			},
			...(at !== undefined && {at}),
		});

	const handle = createKeyHandler({
		store,
		entries: () => entries,
		submit: text => whenOpen(({submit}) => void submit(text)),
		answer: interact.answer,
		feed: standIn.feed,
		pressInDevicePanel: (chord, panel) =>
			pressInDevicePanel(chord, panel, {
				copy: session.copy,
				openPage: page => openPage(page, env),
				say: interact.say,
			}),
		interrupt: () => whenOpen(({interrupt}) => interrupt()),
		redraw: () => redraw(),
		suspend: session.suspend,
		searchHistory: () => void searchHistory(store, interact),
		openTranscript: () => showTranscript(),
		openLogs: () => logs?.openViewer() ?? false,
		quit,
	});

	const leaveAlerts = followAlerts(store, session.notify);
	const leaveWindow = followWindow({stdout, store, screen, redraw});
	const input = createInput({
		stdin,
		onTokens: tokens => handle(tokens.filter(token => !measure.take(token) && !fullScreen.press(token))),
		onClose: quit,
		expectsReply: measure.isAwaited,
	});
	input.start();
	measure.begin();

	let farewell = '';
	try {
		const opened = await Promise.race([opening, ended]);
		await ended.then(measure.settled);
		fullScreen.close();
		if (opened) {
			farewell = await opened.close();
		} else {
			await program?.close();
		}
	} finally {
		input.stop();
		store.getState().setPanel(undefined);
		logs?.dispose();
		leaveAlerts();
		leaveWindow();
		ink.clear();
		ink.unmount();
		screen.flush();
		session.end();
	}

	stdout.write(farewell);
	return 0;
}
