import type {Entry} from '../command/context.ts';
import type {RunFlags} from '../command/invocation.ts';
import type {Surroundings} from '../command/program.ts';
import type {TerminalWidths} from '../config/terminal-widths.ts';
import {AppError} from '../core/error.ts';
import {wantsColor} from '../terminal/abilities.ts';
import {canOpenPages, openPage} from '../terminal/browser.ts';
import {createInput, type InputStream} from '../terminal/input/input.ts';
import {createStandInStdin} from '../terminal/input/stand-in-stdin.ts';
import {createTerminalSession, type ProcessHooks} from '../terminal/terminal-session.ts';
import {createPalette} from '../terminal/text/style.ts';
import {followAlerts} from './alerts.ts';
import {App} from './app.tsx';
import {UiContext} from './context.ts';
import {mount} from './ink.ts';
import {createPanelInteraction} from './interaction.ts';
import {createKeyHandler} from './keys.ts';
import type {LogDesk} from './logs/log-desk.ts';
import {focusLogOf} from './logs/log-keys.ts';
import {type AppProgram, type OpenedConversation, openConversation} from './open-conversation.ts';
import {pressInDevicePanel} from './panels/device-keys.ts';
import {searchHistory} from './panels/search-history.ts';
import {createWindowFit} from './screen/fit-window.ts';
import {followWindow} from './screen/follow-window.ts';
import type {FrameLog} from './screen/frame-log.ts';
import {createFullScreen} from './screen/full-screen.ts';
import {createLiveLines} from './screen/live-lines.ts';
import type {Painter} from './screen/painter.ts';
import {createScreen} from './screen/screen.ts';
import {measureTerminal} from './screen/terminal-measure.ts';
import {openTranscript} from './transcript/open-transcript.ts';

type AppSurroundings = Pick<Surroundings<keyof AppProgram>, 'compose' | 'store' | 'env' | 'stdout' | 'version'> & {
	readonly stdin: InputStream & NodeJS.ReadStream;
	readonly process: ProcessHooks;
	/** What terminals were measured to be. */
	readonly widths?: TerminalWidths;
	/** Logs each frame. */
	readonly frames?: FrameLog | undefined;
};

/**
 * Runs the app until the user leaves. The first frame is drawn before the configuration, the commands and Markdown are
 * loaded; what is typed meanwhile is kept. Gives the exit status. Throws `usage` where there is no terminal.
 */
export async function startApp(
	flags: Partial<RunFlags> & {readonly pick: boolean; readonly prompt?: string},
	surroundings: AppSurroundings,
): Promise<number> {
	const {compose, store, env, stdin, stdout, version, process, widths, frames} = surroundings;
	if (!stdin.isTTY || !stdout.isTTY) {
		throw new AppError('usage', `The app needs a terminal, and standard ${stdin.isTTY ? 'output' : 'input'} is none.`, {
			hint: 'For scripts use `$ -p "prompt"`.',
		});
	}

	const palette = createPalette({color: wantsColor(stdout, env)});
	const screen = createScreen(frames?.output ?? stdout, {reflows: () => measure.reflows(), later: frames?.later});
	const live = createLiveLines();
	const standIn = createStandInStdin();
	const interact = createPanelInteraction(store, {opensPages: canOpenPages(env)});
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
			screen.erase();
		},
		onContinue: () => input.resume(),
		onResume() {
			logs?.wake();
			// Only the shell was told of another size meanwhile: so Node asks again, and knows it after the second turn.
			process.kill(process.pid, 'SIGWINCH');
			setImmediate(() => setImmediate(() => (screen.isErased() ? fitWindow() : redraw())));
		},
	});

	store.getState().setSize(screen.size());
	session.start();
	session.enable('drawing');
	session.enable('bracketed-paste');
	session.enable('kitty-keyboard');
	const measure = measureTerminal({
		stdout,
		env,
		widths,
		onChange: () => remeasured(),
	});

	const ink = mount(
		<UiContext
			value={{
				store,
				palette,
				live,
				entries: () => entries,
				dockLines: size => logs?.dockLines(size) ?? [],
				answer: interact.answer,
				setCaret: screen.setCaret,
			}}
		>
			<App />
		</UiContext>,
		{stdin: standIn.stream, stdout: screen.stdout, onRender: frames?.onRender},
	);

	let program: AppProgram | undefined;
	let painter: Painter | undefined;
	const opening = compose(flags).then(async composed => {
		program = composed;
		({entries} = program);
		const {createLogDesk} = await import('./logs/log-desk.ts');
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
			live,
			interact,
			version,
			homeFolder: env['HOME'],
			write: screen.print,
			wipe() {
				screen.flush();
				screen.startOver('\u001B[H\u001B[2J\u001B[3J');
			},
			quit,
			logs,
		});
	});

	opening.then(opened => (painter = opened.painter)).catch(() => undefined);

	/** What is asked for before everything is loaded waits; why that failed is told where `opening` is awaited. */
	const whenOpen = (act: (opened: OpenedConversation) => void) => void opening.then(act, () => undefined);

	const {redraw, remeasured, fitWindow, hold, release} = createWindowFit({
		store,
		screen,
		fullScreen: () => fullScreen,
		painter: () => painter,
	});
	const fullScreen = createFullScreen({
		size: () => store.getState().size,
		write: screen.raw,
		enter: () => session.enable('alternate-screen'),
		leave: () => session.disable('alternate-screen'),
		showCursor: isShown => (isShown ? session.disable('hidden-cursor') : session.enable('hidden-cursor')),
		hold,
		release,
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
		fullScreen,
		takeReply: measure.take,
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
		redraw,
		suspend: session.suspend,
		searchHistory: () => void searchHistory(store, interact),
		openTranscript: () => showTranscript(),
		openLogs: () => logs?.openViewer() ?? false,
		quit,
	});

	const leaveAlerts = followAlerts(store, session.notify);
	const leaveWindow = followWindow({stdout, hold: screen.hold, fitWindow});
	const input = createInput({
		stdin,
		onTokens: handle,
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
		ink.unmount();
		screen.erase();
		session.end();
	}

	stdout.write(farewell);
	return 0;
}
