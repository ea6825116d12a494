import type {Environment} from '../core/environment.ts';
import {type CopyWay, copyTo} from './clipboard.ts';
import {createSuspension, type EndSignal, type HookedEvent, type ProcessHooks} from './suspension.ts';
import {
	createModeSwitches,
	endDrawing,
	type ModeSwitches,
	resetLeftovers,
	type ShownMode,
	type TerminalMode,
} from './terminal-modes.ts';

const endSignals: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

type TerminalSessionOptions = {
	readonly stdout: {readonly isTTY?: boolean | undefined; write: (text: string) => unknown};
	readonly process: ProcessHooks;
	/** `TERM` and `TERM_PROGRAM` say what the terminal can do. */
	readonly environment?: Environment;
	/** Called before all modes are switched off. Writes what is still to be written while they are on. */
	readonly beforeReset?: () => void;
	/**
	 * Called before the process is stopped (Ctrl+Z) or ended by a signal, after the modes were reset. Must stop drawing and
	 * reading: that restores the line mode, which Node leaves raw when a signal with a listener ends it.
	 */
	readonly onSuspend?: () => void;
	/**
	 * Called when the process continues, also after a stop without notice (SIGSTOP). Must make the terminal raw again: that
	 * stops a job in the background once more, before a mode is switched on.
	 */
	readonly onContinue?: () => void;
	/** Called when the modes are on again. Must draw everything again, at the current size of the window. */
	readonly onResume?: () => void;
	/**
	 * Called when a signal ends the process, after the modes were reset. Resolves soon, once the terminal has answered what it
	 * was asked; undefined if no answer is pending. Until then the terminal is still read: its answers would be input of the
	 * shell.
	 */
	readonly answered?: (() => Promise<void> | undefined) | undefined;
	/**
	 * Called when a signal ends the process, after the terminal was restored. Saves what isn't saved yet: the process ends
	 * when that is done, after five seconds, or at the next signal.
	 */
	readonly onEnd?: (() => Promise<void>) | undefined;
};

export type TerminalSession = {
	/** Resets what a killed run left on, and listens to exits, signals and crashes. */
	readonly start: () => void;
	/** Switches a mode on; does nothing if it is on, or if the terminal doesn't support it. */
	readonly enable: (mode: TerminalMode) => void;
	readonly disable: (mode: TerminalMode) => void;
	/** Switches off every mode, at once and synchronously. A second call writes nothing. */
	readonly reset: () => void;
	/** Resets the modes and removes all listeners: the ordinary end. */
	readonly end: () => void;
	/** Does what Ctrl+Z does in a raw terminal: resets, stops, and calls `onResume` when the shell continues us. */
	readonly suspend: () => void;
	/** Lends the terminal to a program until `use` is done, as if we were suspended meanwhile. */
	readonly lend: <T>(use: () => Promise<T>) => Promise<T>;
	/** Returns true while a program has the terminal: nothing else may write to it. */
	readonly isLent: () => boolean;
	/** Writes a bell or a notification that `attention-sequences.ts` made; nothing while a program has the terminal. */
	readonly signal: (sequence: string) => void;
	/** Writes a title or a progress of that file, now and each time the terminal is ours again, until it is disabled. */
	readonly show: (mode: ShownMode, sequence: string) => void;
	/** Copies as `copyTo` does. Returns undefined without a terminal, too. */
	readonly copy: (text: string) => CopyWay | undefined;
};

/** How long a signal waits for `onEnd` before it ends us. */
const endTimeoutMs = 5000;

/** Owns every mode of the terminal that is switched on, and switches it off however the process ends (SAFETY 5). */
export function createTerminalSession(options: TerminalSessionOptions): TerminalSession {
	const {stdout, process, environment = {}, onSuspend, onEnd} = options;
	const isTerminal = stdout.isTTY === true && environment['TERM'] !== 'dumb';
	const switchesKeys = readsKeyModes(environment);

	const write = (text: string) => void (isTerminal && text && stdout.write(text));
	const switches = createModeSwitches(write);
	const modes: ModeSwitches = {
		...switches,
		reset() {
			options.beforeReset?.();
			switches.reset();
		},
	};

	const release = (isDrawing: boolean) => {
		onSuspend?.();
		// Clearing our part of the screen may have hidden the cursor again.
		write(isDrawing ? endDrawing : '');
	};

	const shown = createShownModes({modes, write, isLent: () => suspension.isLent(), onResume: options.onResume});
	const suspension = createSuspension({...options, onResume: shown.onResume, modes, release});

	const endBySignal = (signal: EndSignal) => {
		const isDrawing = modes.enabled().includes('drawing');
		end();
		afterwards(options.answered?.(), () => {
			release(isDrawing);
			// Without our listener the signal ends us as it ends any program, and the status says so.
			saveThen(onEnd, () => void process.kill(process.pid, signal));
		});
	};

	const hooks = createHooks(process, {...suspension, reset: modes.reset, endBySignal});

	const end = () => {
		modes.reset();
		shown.setOver(true);
		suspension.cancel();
		hooks.remove();
	};

	return {
		start() {
			shown.setOver(false);
			if (hooks.add()) {
				write(resetLeftovers + (switchesKeys ? '\u001b[=0u' : ''));
			}
		},
		enable(mode) {
			if (isTerminal && !shown.isOver() && (switchesKeys || !keyModes.has(mode))) {
				modes.enable(mode);
			}
		},
		disable: shown.disable,
		signal: shown.signal,
		show: shown.show,
		reset: modes.reset,
		end,
		suspend: suspension.suspend,
		lend: suspension.lend,
		isLent: suspension.isLent,
		copy: text => (isTerminal ? copyTo(write, text, environment) : undefined),
	};
}

/** Calls `end` once something is over; at once without it. */
function afterwards(pending: Promise<void> | undefined, end: () => void): void {
	if (pending) {
		void pending.then(end, end);
	} else {
		end();
	}
}

/** Calls `end` once `save` is done, at the latest after `endTimeoutMs`; at once without `save`. */
function saveThen(save: TerminalSessionOptions['onEnd'], end: () => void): void {
	if (!save) {
		end();
		return;
	}

	const late = setTimeout(end, endTimeoutMs);
	save()
		.catch(() => undefined)
		.finally(() => {
			clearTimeout(late);
			end();
		});
}

/** The modes that say how keys are sent. */
const keyModes: ReadonlySet<TerminalMode> = new Set(['kitty-keyboard', 'modify-other-keys', 'meta-sends-escape']);

/** The Linux console and Apple's Terminal read the sequences of `keyModes` as others: as a colour or an underline. */
function readsKeyModes({TERM, TERM_PROGRAM}: Environment): boolean {
	return TERM !== 'linux' && TERM_PROGRAM !== 'Apple_Terminal';
}

type HookActions = {
	readonly suspend: () => void;
	readonly resume: () => void;
	readonly reset: () => void;
	readonly endBySignal: (signal: EndSignal) => void;
	readonly lendsKeys: () => boolean;
};

/** The signals of Ctrl+C and Ctrl+\, which are for the program that has the terminal. */
const keySignals: ReadonlySet<EndSignal> = new Set(['SIGINT', 'SIGQUIT']);

/** Adds all listeners of the process, or removes them. `add` returns false if they were added before. */
function createHooks(process: ProcessHooks, {suspend, resume, reset, endBySignal, lendsKeys}: HookActions) {
	const hooks: readonly (readonly [HookedEvent, () => void])[] = [
		...endSignals.map(
			signal => [signal, () => void ((lendsKeys() && keySignals.has(signal)) || endBySignal(signal))] as const,
		),
		['SIGTSTP', suspend],
		['SIGCONT', resume],
		['exit', reset],
		// The monitor runs before an uncaught error or rejection is reported and ends the program; it doesn't change that.
		['uncaughtExceptionMonitor', reset],
	];
	let isAdded = false;
	return {
		add(): boolean {
			if (isAdded) {
				return false;
			}

			isAdded = true;
			for (const [event, listener] of hooks) {
				process.on(event, listener);
			}

			return true;
		},
		remove() {
			isAdded = false;
			for (const [event, listener] of hooks) {
				process.off(event, listener);
			}
		},
	};
}

type ShownModesOptions = {
	readonly modes: ModeSwitches;
	readonly write: (text: string) => void;
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
	readonly onResume: (() => void) | undefined;
};

/** Creates what the terminal shows of us outside of its window: title and progress, and signals such as the bell. */
function createShownModes({modes, write, isLent, onResume}: ShownModesOptions) {
	const shown = new Map<TerminalMode, string>();
	/** True once nothing would switch a mode off again. */
	let isOver = false;
	const isOurs = () => !isOver && !isLent();
	return {
		isOver: () => isOver,
		setOver(value: boolean) {
			isOver = value;
		},
		signal: (sequence: string) => write(isOurs() ? sequence : ''),
		show(mode: ShownMode, sequence: string) {
			shown.set(mode, sequence);
			if (isOurs()) {
				modes.enable(mode);
				write(sequence);
			}
		},
		disable(mode: TerminalMode) {
			shown.delete(mode);
			modes.disable(mode);
		},
		/** The modes are on again, and with them what they showed last. */
		onResume() {
			const sequences = modes.enabled().map(mode => shown.get(mode) ?? '');
			write(sequences.join(''));
			onResume?.();
		},
	};
}
