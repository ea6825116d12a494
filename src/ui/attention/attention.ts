import {basename} from 'node:path';
import type {Program} from '../../command/program.ts';
import type {UserSettings} from '../../config/settings/user-settings.ts';
import type {Environment} from '../../core/environment.ts';
import type {RunEndReason} from '../../core/session/event.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {isLikeXterm, multiplexerOf, terminalKind} from '../../terminal/terminal-kind.ts';
import type {ShownMode} from '../../terminal/terminal-modes.ts';
import type {TerminalSession} from '../../terminal/terminal-session.ts';
import {graphemesOf} from '../../terminal/text/width.ts';
import {steadyNow} from '../answerable.ts';
import {activityOf, endNotice, type ProgramStatus, statusOf, titleOf, waitNotice} from './attention-text.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly session: Pick<TerminalSession, 'signal' | 'show' | 'enable' | 'disable'>;
	readonly env: Environment;
	readonly settings: UserSettings;
	/** Returns the working folder, which names a session without a title. */
	readonly folder: () => string;
	/** Hides credentials in a text. */
	readonly hide: (text: string) => string;
	/** Returns the time of a monotonic clock in milliseconds. */
	readonly now: () => number;
};

/** Gets the attention of a user who looks elsewhere. */
export type Attention = {
	/** The terminal reported whether its window has the focus. */
	readonly focus: (focused: boolean) => void;
	/** The user pressed a key. */
	readonly pressed: () => void;
	readonly stop: () => void;
};

/** Follows the app as the user's settings say. */
export function openAttention(program: Program, screen: Pick<Dependencies, 'store' | 'session' | 'env'>): Attention {
	const {
		local: {settings, secrets},
		project: {folder},
	} = program;
	return followAttention({
		...screen,
		settings,
		folder: folder.path,
		hide: secrets.hide,
		now: steadyNow,
	});
}

/**
 * Shows what the app does in the title of the window and as the progress of the terminal, and notifies a user who is away
 * when a long run ends or a question waits. Alerts always ring. What it writes holds no prompt, answer, command or path.
 */
export function followAttention(dependencies: Dependencies): Attention {
	const {store, session, env, settings, now} = dependencies;
	const {focus: isReported = false} = terminalKind(env);
	const awayAfterMs = () => settings.value('notify_after') * 1000;
	const focus = createWindowFocus({isReported, awayAfterMs, now});
	const ring = createBell(dependencies, () => focus.isAway());
	const indicators = createIndicators(dependencies);
	let startedAt = now();
	/** How the last run ended, until the user presses a key. */
	let ended: RunEndReason | undefined;

	const unsubscribe = store.subscribe((state, before) => {
		const {run} = state.transcript;
		if (state.transcript.session !== before.transcript.session) {
			ended = undefined;
		}

		if (run && !before.transcript.run) {
			startedAt = now();
			ended = undefined;
		} else if (!run && before.transcript.run && state.transcript.session === before.transcript.session) {
			const durationMs = now() - startedAt;
			const last = state.transcript.settled.at(-1);
			const isNew = last !== before.transcript.settled.at(-1);
			const reason = isNew && last?.kind === 'end' ? last.reason : 'done';
			ended = reason;
			// The user who interrupts a run is there.
			if (durationMs >= awayAfterMs() && reason !== 'interrupted') {
				ring.later(endNotice(reason, durationMs, titleIn(state, dependencies)));
			}
		}

		if (activityOf(state) === 'needs you' && state.panel !== before.panel) {
			ring.later(waitNotice(titleIn(state, dependencies)));
		}

		if (state.alert && state.alert !== before.alert) {
			ring.always(state.alert.text);
		}

		indicators.show(state, ended);
	});
	const apply = () => {
		indicators.forget();
		indicators.show(store.getState(), ended);
		const asksFocus = settings.value('notifications') !== 'off' && isLikeXterm(env);
		(asksFocus ? session.enable : session.disable)('focus-reports');
	};
	apply();
	const removeListener = settings.onChange(apply);

	return {
		focus: focus.report,
		pressed() {
			focus.pressed();
			if (ended !== undefined) {
				ended = undefined;
				indicators.show(store.getState(), ended);
			}
		},
		stop() {
			unsubscribe();
			removeListener();
			session.disable('focus-reports');
		},
	};
}

/** Returns the title of the session, '' for none: the user chose it, so that it may name a credential. */
function titleIn({transcript}: AppState, {hide}: Pick<Dependencies, 'hide'>): string {
	return transcript.title ? hide(transcript.title) : '';
}

/** Rings, and shows notifications as the settings say. */
function createBell({env, settings, session}: Dependencies, isAway: () => boolean) {
	let waiting: string | undefined;
	const sequenceOf = (text: string) => {
		switch (settings.value('notifications')) {
			case 'off':
				return '';
			case 'bell':
				return bell;
			default:
				return noticeSequence(text, env);
		}
	};

	return {
		/** Notifies a user who is away, at the end of this turn of the event loop: a run may end with a question. */
		later(text: string) {
			if (waiting === undefined) {
				setImmediate(() => {
					session.signal(waiting !== undefined && isAway() ? sequenceOf(waiting) : '');
					waiting = undefined;
				});
			}

			waiting = text;
		},
		/** Rings the bell too, also for a user who is there. */
		always(text: string) {
			const sequence = sequenceOf(text);
			session.signal(sequence === '' || sequence.endsWith(bell) ? sequence : bell + sequence);
		},
	};
}

/** Returns a function that shows the state in the title and as progress, and writes only what changed. */
function createIndicators(dependencies: Dependencies) {
	const {session, env, settings, folder} = dependencies;
	const {progress = false, status = false} = terminalKind(env);
	const can = {title: isLikeXterm(env), progress, status};
	// Both tell the terminal whether the app works.
	const isOn = (mode: ShownMode) => settings.value(mode === 'status' ? 'progress' : mode);
	const shown: Partial<Record<ShownMode, string>> = {};
	const change = (mode: ShownMode, sequence: string | undefined) => {
		const next = can[mode] && isOn(mode) ? sequence : undefined;
		if (next === undefined && shown[mode] !== undefined) {
			session.disable(mode);
		} else if (next !== undefined && next !== shown[mode]) {
			session.show(mode, next);
		}

		shown[mode] = next;
	};

	let before: {readonly status: ProgramStatus; readonly title: string} | undefined;
	return {
		show(state: AppState, ended: RunEndReason | undefined) {
			const activity = activityOf(state);
			const status = statusOf(activity, state.panel, ended);
			const {title} = state.transcript;
			if (before?.status === status && before.title === title) {
				return;
			}

			before = {status, title};
			change('title', titleSequence(titleOf(activity, titleIn(state, dependencies) || basename(folder()))));
			const progress = ({working: 'working', 'needs you': 'waiting', idle: undefined} as const)[activity];
			change('progress', progress && progressSequence(progress));
			change('status', statusSequence(status));
		},
		/** Shows everything again with the settings as they are now. */
		forget() {
			before = undefined;
		},
	};
}

type Options = {
	/** True if the terminal is certain to report when its window gets or loses the focus. */
	readonly isReported: boolean;
	/** Without reports, the user is away once they pressed no key for so long. */
	readonly awayAfterMs: () => number;
	/** Returns the time of a monotonic clock in milliseconds. */
	readonly now: () => number;
};

/** Whether the user looks at the window, as far as the terminal shows it. */
type WindowFocus = {
	/** The terminal reported the focus. */
	readonly report: (focused: boolean) => void;
	/** The user pressed a key. */
	readonly pressed: () => void;
	readonly isAway: () => boolean;
};

/** Creates the focus of a window that the user has just started us in. */
function createWindowFocus({isReported, awayAfterMs, now}: Options): WindowFocus {
	let knows = isReported;
	let isFocused = true;
	let pressedAt = now();
	return {
		report(focused) {
			knows = true;
			isFocused = focused;
		},
		pressed() {
			isFocused = true;
			pressedAt = now();
		},
		isAway: () => !isFocused || (!knows && now() - pressedAt >= awayAfterMs()),
	};
}

/** A terminal shows no more of them, and some reject longer sequences. */
const maxCharacters = {notice: 200, title: 80} as const;

const bell = '\u0007';
const end = '\u001b\\';

/** Who a notification is from, for terminals that show a heading. */
const sender = 'service';

/** What the terminal shows about a run: that it goes on, or waits for the user. */
type Progress = 'working' | 'waiting';

/**
 * Returns the bytes that show a notification in this terminal (OSC 9, 99 or 777), or ring its bell. Through tmux they are
 * passed on if its `allow-passthrough` is on. Keeps only printable text (SAFETY 3).
 */
export function noticeSequence(text: string, env: Environment): string {
	const {notice, rings} = terminalKind(env);
	const shown = cleaned(text, maxCharacters.notice);
	// Fields are separated by semicolons.
	const field = shown.replaceAll(';', ',');
	switch (notice) {
		case 'osc-9':
			// A text that begins with a number would be another request (ConEmu).
			return passed(`\u001b]9;${sender}: ${shown}${end}`, env) + (rings ? bell : '');
		case 'osc-99':
			return (
				passed(`\u001b]99;i=${sender}:d=0;${sender}${end}\u001b]99;i=${sender}:d=1:p=body;${shown}${end}`, env) +
				(rings ? bell : '')
			);
		case 'osc-777':
			return passed(`\u001b]777;notify;${sender};${field}${end}`, env) + (rings ? bell : '');
		case 'bell':
			return bell;
		default:
			return notice satisfies never;
	}
}

/** Returns the bytes that set the title of the window (OSC 2). Keeps only printable text (SAFETY 3). */
export function titleSequence(text: string): string {
	return `\u001b]2;${cleaned(text, maxCharacters.title)}${end}`;
}

/** Returns the bytes that show progress without an end (OSC 9;4), or a full bar that warns; undefined ends it. */
export function progressSequence(progress: Progress | undefined): string {
	const state = progress === 'working' ? '3;0' : progress === 'waiting' ? '4;100' : '0;0';
	return `\u001b]9;4;${state}${end}`;
}

/** Returns the bytes that tell the terminal what we do (OSC 7501). They name no task, file or command. */
export function statusSequence(status: ProgramStatus): string {
	return `\u001b]7501;state=${status}:app=${sender}${end}`;
}

/** Wraps a sequence so that tmux passes it on: each ESC twice. */
function passed(sequence: string, env: Environment): string {
	return multiplexerOf(env) === 'tmux'
		? `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}${end}`
		: sequence;
}

/** Returns the text on one line, without control characters and those that change its direction or are invisible. */
function cleaned(text: string, maxLength: number): string {
	const printable = text
		.slice(0, 20 * maxLength)
		.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
		.trim();
	const graphemes = graphemesOf(printable);
	return graphemes.length <= maxLength ? printable : `${graphemes.slice(0, maxLength - 1).join('')}…`;
}
