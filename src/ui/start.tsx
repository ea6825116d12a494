import {type ReactNode, useMemo} from 'react';
import {useStore} from 'zustand';
import type {Surroundings} from '../command/program.ts';
import {errorLine} from '../core/command-words.ts';
import {messageOf} from '../core/error.ts';
import type {AppStore} from '../store/store.ts';
import {assertTerminal, wantsColor} from '../terminal/abilities.ts';
import {canOpenPages, openPage} from '../terminal/browser.ts';
import {createInput, type InputStream} from '../terminal/input/input.ts';
import {isStranger, showsLinks} from '../terminal/terminal-kind.ts';
import {createPalette, type Palette} from '../terminal/text/style.ts';
import {App} from './app.tsx';
import {type AppTerminal, openTerminal, type TerminalOptions} from './app-terminal.ts';
import type {Attention} from './attention/attention.ts';
import {type Ui, UiContext} from './context.ts';
import {mount} from './ink.ts';
import {createPanelInteraction, type PanelInteraction} from './interaction.ts';
import {createKeyHandler} from './keys.ts';
import type {AppLogs} from './logs/app-logs.ts';
import {focusLogOf} from './logs/log-keys.ts';
import type {AppFlags, AppProgram, OpenedConversation} from './open-conversation.ts';
import {deferred, endOfTurn} from './opening/turns.ts';
import {searchHistory} from './panels/search-history.ts';
import {showSending} from './prompt/waiting.ts';
import type {LiveLines} from './screen/frame.ts';
import {followMoving} from './screen/live-clock.ts';
import {followWindow} from './screen/resize/follow-window.ts';
import {openTranscript} from './transcript/open-transcript.ts';

type AppSurroundings = TerminalOptions &
	Pick<Surroundings, 'compose' | 'version' | 'onInterrupt'> & {readonly stdin: InputStream & NodeJS.ReadStream};

/** What the first frame is drawn without. */
type Loaded = {
	program?: AppProgram;
	logs?: AppLogs;
	opened?: OpenedConversation;
	attention?: Attention;
	stopMoving?: () => void;
};

/** The parts of the app. */
type Parts = Pick<AppSurroundings, 'compose' | 'env' | 'version'> & {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly live: LiveLines;
	readonly interact: PanelInteraction;
	readonly terminal: AppTerminal;
	readonly loaded: Loaded;
	readonly quit: () => void;
};

/**
 * Runs the app until the user quits. The first frame is drawn before the configuration, the commands and Markdown are
 * loaded; input is kept until then. Returns the exit status. Throws AppError("usage") if there is no terminal.
 */
export async function startApp(flags: AppFlags, surroundings: AppSurroundings): Promise<number> {
	assertTerminal(surroundings);
	if (isStranger(surroundings.env) && !(await isScreen(surroundings))) {
		const {startLinear} = await import('./linear.ts');
		return startLinear(flags, {...surroundings, env: {...surroundings.env, TERM: 'dumb'}});
	}

	const {store, env, stdin, stdout, frames} = surroundings;
	const {promise: ended, resolve: quit} = deferred();
	const loaded: Loaded = {};
	const terminal = openTerminal(surroundings, {
		painter: () => loaded.opened?.painter,
		onSuspend() {
			loaded.logs?.suspend();
			input.stop();
		},
		onContinue: () => input.resume(),
		onResume: () => loaded.logs?.resume(),
		onEnd: async () => loaded.program?.session.conversation.saved(),
	});
	const {screen, session, measure, fit} = terminal;
	const palette = createPalette({color: wantsColor(stdout, env), links: showsLinks(env)});
	const parts: Parts = {
		...surroundings,
		palette,
		live: terminal.live,
		interact: {
			...createPanelInteraction(store, {
				opensPages: canOpenPages(env),
				written: run => void stdout.write('', run),
			}),
			editFile: async path => (await import('./screen/edit-file.ts')).createFileEditor({...terminal, env})(path),
			copy: session.copy,
			review: async review =>
				(await import('./changes/review-view.ts')).openReview({...terminal, store, palette})(review),
		},
		terminal,
		loaded,
		quit,
	};
	const ink = draw(parts, frames);
	// The first frame is written at the end of this turn.
	const opening = endOfTurn().then(() => load(flags, parts));
	const input = createInput({
		stdin,
		onTokens: keyHandlerOf(parts, opening),
		onClose: quit,
		expectsReply: measure.isAwaited,
	});
	const stopWindow = followWindow({stdout, ...fit});
	input.start();
	measure.begin();

	let farewell = '';
	try {
		farewell = await untilClosed(opening, ended, parts);
	} finally {
		input.stop();
		store.getState().closePanel();
		loaded.logs?.dispose();
		loaded.stopMoving?.();
		stopWindow();
		ink.unmount();
		screen.erase();
		session.end();
	}

	stdout.write(farewell);
	return 0;
}

/** Asks a terminal of an unknown type whether it can be drawn on. */
async function isScreen(surroundings: AppSurroundings): Promise<boolean> {
	const {obeysCodes} = await import('../terminal/input/ask-terminal.ts');
	return obeysCodes(surroundings);
}

/** Draws the first frame, and every later one when the store changes. */
function draw({store, palette, live, interact, terminal, loaded}: Parts, frames: AppSurroundings['frames']) {
	const {screen} = terminal;
	return mount(
		<Themed
			ui={{
				store,
				palette,
				live,
				entries: () => loaded.program?.commands.all() ?? [],
				logs: () => loaded.logs,
				answer: interact.answer,
				setCaret: screen.setCaret,
				setPrompt: screen.setPrompt,
				limitLive: screen.limitLive,
			}}
		>
			<App />
		</Themed>,
		{stdout: screen.stdout, onRender: frames?.onRender},
	);
}

/** Loads what the first frame is drawn without, and opens the conversation. */
async function load(flags: AppFlags, parts: Parts): Promise<OpenedConversation> {
	const {compose, store, env, terminal, loaded} = parts;
	const {screen} = terminal;
	const program = await compose(flags);
	await terminal.followFrames();
	loaded.program = program;
	const {followTheme} = await import('./follow-theme.ts');
	await followTheme({...parts, ...terminal, redraw: terminal.fit.recolored});
	const logs = await openLogs(program, parts);
	loaded.logs = logs;
	const {openAttention} = await import('./attention/attention.ts');
	loaded.attention = openAttention(program, {store, env, session: terminal.session});
	const {openConversation} = await import('./open-conversation.ts');
	/** True if something changed that is drawn again once the conversation is open, which draws it. */
	let isOutdated = false;
	const redraw = () => {
		isOutdated = !loaded.opened;
		terminal.fit.recolored();
		// What is printed next must not be taken for what is in the window.
		screen.flush();
	};
	const opened = await openConversation(program, flags, {
		...parts,
		homeFolder: env['HOME'],
		write: screen.print,
		isHeld: screen.isTooSmall(),
		keepsDrafts: true,
		insertsOffers: true,
		redraw,
		wipe() {
			screen.flush();
			screen.startOver('\u001B[H\u001B[2J\u001B[3J');
		},
		logs,
		clock: Date.now,
	});
	loaded.opened = opened;
	terminal.fit.begin();
	if (isOutdated) {
		redraw();
	}

	loaded.stopMoving = followMoving({store, draw: opened.painter.advance});
	return opened;
}

async function openLogs(program: AppProgram, parts: Parts): Promise<AppLogs> {
	const {store, palette, env, terminal} = parts;
	const {session, fullScreen} = terminal;
	const {createAppLogs} = await import('./logs/app-logs.ts');
	return createAppLogs({
		store,
		palette,
		fullScreen,
		folder: program.project.folder.path(),
		homeFolder: env['HOME'],
		copy: session.copy,
		suspend: session.suspend,
		openTranscript: at => void showTranscript(parts, at),
	});
}

/** Opens the transcript view, at its end or at a moment in milliseconds since the epoch. */
function showTranscript({store, palette, terminal, loaded}: Parts, at?: number): Promise<void> {
	const {session, fullScreen} = terminal;
	return openTranscript({
		store,
		palette,
		fullScreen,
		suspend: session.suspend,
		copy: session.copy,
		keepCopy: async text => loaded.program?.files.keepCopy(text),
		openLogAt(moment, environment) {
			focusLogOf(store, environment);
			return loaded.logs?.openViewer(moment) ?? false;
		},
		...(at !== undefined && {at}),
	});
}

/** Shows the next open session. */
async function showNext({store, loaded}: Parts): Promise<void> {
	const {setToast} = store.getState();
	try {
		const isShown = await loaded.program?.session.background.next();
		if (!isShown) {
			setToast('No other session is open. /bg sends a run to the background.');
		}
	} catch (error) {
		setToast(errorLine(error));
	}
}

/** Sends the commands that run to the background. */
function moveCommands({store, loaded}: Parts): void {
	try {
		loaded.program?.session.moveToBackground();
	} catch (error) {
		store.getState().setToast(`${messageOf(error)} Stop one: /jobs stop`);
	}
}

/** Connects the keys with the parts. What needs the conversation waits until that is open. */
function keyHandlerOf(parts: Parts, opening: Promise<OpenedConversation>) {
	const {store, env, interact, terminal, loaded, quit} = parts;
	const {session, measure, fit, fullScreen} = terminal;
	// If opening fails, `startApp` reports it.
	const whenOpen = (act: (opened: OpenedConversation) => void) => void opening.then(act, () => undefined);
	return createKeyHandler({
		store,
		env,
		entries: () => loaded.program?.commands.all() ?? [],
		fullScreen,
		takeReply: measure.take,
		attention: () => loaded.attention,
		opening: () => (loaded.opened ? undefined : opening),
		submit: text =>
			showSending(
				store,
				text,
				// At once, so that the next key is already about what was sent.
				(loaded.opened?.submit(text) ?? opening.then(({submit}) => submit(text))).catch(() => undefined),
			),
		answer: interact.answer,
		copy: session.copy,
		openPage: page => openPage(page, env),
		interrupt: () => whenOpen(({interrupt}) => interrupt()),
		redraw: fit.redraw,
		nextSession: () => whenOpen(() => void showNext(parts)),
		moveToBackground: () => moveCommands(parts),
		suspend: session.suspend,
		interact,
		openTranscript: () => showTranscript(parts),
		searchHistory: () => void searchHistory(store, interact),
		pasteImage: () => whenOpen(({pasteImage}) => void pasteImage(env)),
		mentionsOfDragged: pasted => loaded.opened?.mentionsOfDragged(pasted),
		openLogs: () => loaded.logs?.openViewer() ?? false,
		quit,
	});
}

/** Waits until the user quits, then closes the conversation, or the program if that is not open yet. Returns the farewell. */
async function untilClosed(
	opening: Promise<OpenedConversation>,
	ended: Promise<void>,
	{terminal, loaded}: Parts,
): Promise<string> {
	const opened = await Promise.race([opening, ended]).catch(async (error: unknown) => {
		await terminal.measure.settled();
		throw error;
	});
	await ended;
	// Before the terminal is read no more: a report that is on its way would be input of the shell.
	loaded.attention?.stop();
	await terminal.measure.settled();
	terminal.fullScreen.close();
	if (opened) {
		return opened.close();
	}

	await loaded.program?.close();
	return '';
}

type Props = {readonly ui: Ui; readonly children: ReactNode};

/** Draws its children again when the colours of the palette have changed. */
function Themed({ui, children}: Props) {
	const recolored = useStore(ui.store, state => state.recolored);
	// A palette in use stays the same object, and React draws again only what gets another.
	const value = useMemo(() => (recolored > 0 ? {...ui, palette: {...ui.palette}} : ui), [ui, recolored]);
	return <UiContext value={value}>{children}</UiContext>;
}
