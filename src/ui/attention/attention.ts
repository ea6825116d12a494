import {basename} from 'node:path';
import type {Program} from '../../command/program.ts';
import type {UserSettings} from '../../config/settings/user-settings.ts';
import type {Environment} from '../../core/environment.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {bell, noticeSequence, progressSequence, titleSequence} from '../../terminal/attention/attention-sequences.ts';
import {isLikeXterm, terminalKind} from '../../terminal/attention/terminal-kind.ts';
import type {ShownMode} from '../../terminal/terminal-modes.ts';
import type {TerminalSession} from '../../terminal/terminal-session.ts';
import {steadyNow} from '../answerable.ts';
import {type Activity, activityOf, endNotice, titleOf, waitNotice} from './attention-text.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly session: Pick<TerminalSession, 'signal' | 'show' | 'enable' | 'disable'>;
	readonly env: Environment;
	readonly settings: Pick<UserSettings, 'value' | 'onChange'>;
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
export function openAttention(
	program: Pick<Program, 'local' | 'project'>,
	screen: Pick<Dependencies, 'store' | 'session' | 'env'>,
): Attention {
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

	const unsubscribe = store.subscribe((state, before) => {
		const {run} = state.transcript;
		if (run && !before.transcript.run) {
			startedAt = now();
		} else if (!run && before.transcript.run && state.transcript.session === before.transcript.session) {
			const durationMs = now() - startedAt;
			const last = state.transcript.settled.at(-1);
			const isNew = last !== before.transcript.settled.at(-1);
			const reason = isNew && last?.kind === 'end' ? last.reason : 'done';
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

		indicators.show(state);
	});
	const apply = () => {
		indicators.forget();
		indicators.show(store.getState());
		const asksFocus = settings.value('notifications') !== 'off' && isLikeXterm(env);
		(asksFocus ? session.enable : session.disable)('focus-reports');
	};
	apply();
	const removeListener = settings.onChange(apply);

	return {
		focus: focus.report,
		pressed: focus.pressed,
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
	const can = {title: isLikeXterm(env), progress: terminalKind(env).progress === true};
	const shown: Partial<Record<ShownMode, string>> = {};
	const change = (mode: ShownMode, sequence: string | undefined) => {
		const next = can[mode] && settings.value(mode) ? sequence : undefined;
		if (next === undefined && shown[mode] !== undefined) {
			session.disable(mode);
		} else if (next !== undefined && next !== shown[mode]) {
			session.show(mode, next);
		}

		shown[mode] = next;
	};

	let before: {readonly activity: Activity; readonly title: string} | undefined;
	return {
		show(state: AppState) {
			const activity = activityOf(state);
			const {title} = state.transcript;
			if (before?.activity === activity && before.title === title) {
				return;
			}

			before = {activity, title};
			change('title', titleSequence(titleOf(activity, titleIn(state, dependencies) || basename(folder()))));
			const progress = ({working: 'working', 'needs you': 'waiting', idle: undefined} as const)[activity];
			change('progress', progress && progressSequence(progress));
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
