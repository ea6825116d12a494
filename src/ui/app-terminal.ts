import type {TerminalWidths} from '../config/terminal-widths.ts';
import type {Environment} from '../core/environment.ts';
import {isHiddenByDraft} from '../store/panel-slice.ts';
import type {AppStore} from '../store/store.ts';
import {hasAlternateScreen, insertsLines} from '../terminal/abilities.ts';
import type {ProcessHooks} from '../terminal/suspension.ts';
import {multiplexerOf} from '../terminal/terminal-kind.ts';
import {createTerminalSession, type TerminalSession} from '../terminal/terminal-session.ts';
import {steadyNow} from './answerable.ts';
import {panelHeight} from './panels/panels.ts';
import {createLiveLines, type LiveLines} from './screen/frame.ts';
import type {FrameLog} from './screen/frame-log.ts';
import {createFullScreen, type FullScreen} from './screen/full-screen.ts';
import {followHighPanels} from './screen/high-panel.ts';
import {createWindowFit, type WindowFit} from './screen/resize/fit-window.ts';
import {expectResize} from './screen/resize/follow-window.ts';
import type {SentFrames} from './screen/resize/sent-frames.ts';
import {createScreen, type Screen} from './screen/screen.ts';
import {measureTerminal, type TerminalMeasure} from './screen/terminal-measure.ts';
import type {Painter} from './transcript/painter.ts';

export type TerminalOptions = {
	readonly store: AppStore;
	readonly env: Environment;
	readonly stdout: NodeJS.WriteStream;
	readonly process: ProcessHooks;
	/** Cell widths that were measured at earlier starts. */
	readonly widths?: TerminalWidths;
	/** Logs each frame. */
	readonly frames?: FrameLog | undefined;
};

type Listeners = {
	/** Returns undefined until the conversation is open. */
	readonly painter: () => Painter | undefined;
	/** The process is about to stop: stop reading the terminal. */
	readonly onSuspend: () => void;
	/** The process continues: read the terminal again. */
	readonly onContinue: () => void;
	/** The terminal is ours again. */
	readonly onResume: () => void;
	/** A signal ends the process: save what isn't saved yet. */
	readonly onEnd: () => Promise<void>;
};

/** The parts of the app that write to the terminal, with the modes that they need. */
export type AppTerminal = {
	readonly screen: Screen;
	/** The lines above everything else in each frame. */
	readonly live: LiveLines;
	readonly session: TerminalSession;
	readonly measure: TerminalMeasure;
	readonly fit: WindowFit;
	readonly fullScreen: FullScreen;
	/** Loads what follows frames on their way to a terminal that wraps rows again. */
	readonly followFrames: () => Promise<void>;
};

/** Opens the terminal: enables its modes and fits the store to its window. Nothing is drawn yet. */
export function openTerminal(options: TerminalOptions, listeners: Listeners): AppTerminal {
	const {store, env, stdout, widths, frames} = options;
	const live = createLiveLines();
	const screen = createScreen(frames?.output ?? stdout, {
		reflows: () => measure.habits().reflows,
		drawing: () => ({insertsLines: insertsLines(env), marks: measure.habits().blanksMarked}),
		later: frames?.later,
		live,
		sentFrames: () => sentFrames,
	});
	let sentFrames: SentFrames | undefined;
	const write = (data: string) => screen.gather(data) || stdout.write(data);
	const session = openSession({...options, write}, listeners, {screen, measure: () => measure, fit: () => fit});
	store.getState().setSize(screen.size());
	if (screen.isTooSmall()) {
		store.setState({inSightSince: Number.POSITIVE_INFINITY});
		screen.hold();
	}

	session.start();
	session.enable('drawing');
	session.enable('bracketed-paste');
	session.enable('meta-sends-escape');
	session.enable('modify-other-keys');
	session.enable('kitty-keyboard');
	const measure = measureTerminal({
		write(data) {
			// The answer is for the screen that the terminal shows by then.
			screen.send();
			write(data);
		},
		columns: stdout.columns,
		env,
		widths,
		onChange: () => fit.remeasured(),
	});
	const fit = createWindowFit({
		store,
		screen,
		fullScreen: () => fullScreen,
		highPanel: () => highPanel,
		isLent: session.isLent,
		askPlace: measure.askPlace,
		expectResize: size => expectResize({stdout, screen}, size),
		distrustSizes: measure.questions.sizes.distrust,
		habits: measure.habits,
		isMultiplexed: multiplexerOf(env) !== undefined,
		hasAlternateScreen: hasAlternateScreen(env),
		painter: listeners.painter,
	});
	const fullScreen = createFullScreen({
		size: () => store.getState().size,
		write: screen.raw,
		together: screen.together,
		enter: () => session.enable('alternate-screen'),
		leave: () => session.disable('alternate-screen'),
		showCursor: isShown => (isShown ? session.disable('hidden-cursor') : session.enable('hidden-cursor')),
		hold() {
			highPanel.yield();
			fit.hold();
		},
		release: fit.release,
	});
	const highPanel = followHighPanels({
		store,
		screen,
		live,
		session,
		fit,
		heightOf: state => panelHeight(state, isHiddenByDraft(state)),
		isNeeded() {
			const {reflows, blanksMarked} = measure.habits();
			return hasAlternateScreen(env) && reflows && !blanksMarked && !fullScreen.isOpen();
		},
	});
	store.subscribe(({ownKeys}, before) => {
		if (ownKeys !== before.ownKeys) {
			fullScreen.invalidate();
		}
	});
	return {
		screen,
		live,
		session,
		measure,
		fit,
		fullScreen,
		async followFrames() {
			const {createSentFrames} = await import('./screen/resize/sent-frames.ts');
			sentFrames = createSentFrames({
				questions: measure.questions,
				isNeeded: () => measure.mayAsk() && measure.habits().reflows,
				habits: measure.habits,
				onLost: fit.lost,
			});
		},
	};
}

type Opened = {
	readonly screen: Screen;
	readonly measure: () => TerminalMeasure;
	readonly fit: () => WindowFit;
};

/** Creates the session of the terminal, which lets nobody else have it before it has answered what it was asked. */
function openSession(
	{store, env, stdout, process, write}: TerminalOptions & {readonly write: (data: string) => unknown},
	{onSuspend, onContinue, onResume, onEnd}: Listeners,
	{screen, measure, fit: fitOf}: Opened,
): TerminalSession {
	const session = createTerminalSession({
		stdout: {isTTY: stdout.isTTY, write},
		beforeReset: screen.send,
		process,
		environment: env,
		onContinue,
		onEnd,
		answered: () => (measure().isAwaited() ? measure().settled() : undefined),
		onSuspend() {
			onSuspend();
			// The shell continues where our part of the screen began, not in the middle of it.
			screen.erase();
		},
		onResume() {
			onResume();
			measure().askAgain();
			store.setState({inSightSince: steadyNow()});
			// Only the shell got the signal of a resize meanwhile. Node asks for the size again and knows it two turns later.
			process.kill(process.pid, 'SIGWINCH');
			setImmediate(() => setImmediate(() => (screen.isErased() ? fitOf().resumed() : fitOf().redraw())));
		},
	});
	return {
		...session,
		suspend() {
			if (measure().isAwaited()) {
				void measure().settled().then(session.suspend);
			} else {
				session.suspend();
			}
		},
		async lend(use) {
			await measure().settled();
			return session.lend(use);
		},
	};
}
