import type {Environment} from '../core/environment.ts';
import {leftBehind, modes, perScreen, type TerminalMode} from './terminal-modes.ts';

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
type HookedEvent = (typeof endSignals)[number] | 'SIGTSTP' | 'SIGCONT' | 'exit' | 'uncaughtExceptionMonitor';

/** What is needed of `process`. */
export type ProcessHooks = {
	readonly pid: number;
	on: (event: HookedEvent, listener: () => void) => unknown;
	off: (event: HookedEvent, listener: () => void) => unknown;
	kill: (pid: number, signal: NodeJS.Signals) => unknown;
};

export type TerminalSessionOptions = {
	readonly stdout: {readonly isTTY?: boolean | undefined; write: (text: string) => unknown};
	readonly process: ProcessHooks;
	/** `TERM` and `TERM_PROGRAM` decide what is asked of the terminal. */
	readonly environment?: Environment;
	/**
	 * We let go of the terminal, to be stopped (Ctrl-Z) or ended by a signal; the modes are reset already. Stop drawing, and
	 * stop reading: that restores the line mode, which Node leaves raw when a signal with a handler ends it.
	 */
	readonly onSuspend?: () => void;
	/**
	 * The process continues, also after a stop that it could not see coming (SIGSTOP). Make the terminal raw, which the
	 * shell has changed: a job in the background is stopped again by that, before a mode is switched on.
	 */
	readonly onContinue?: () => void;
	/** The modes are on again: draw everything again, at the size that the window has by now. */
	readonly onResume?: () => void;
};

export type TerminalSession = {
	/** Clears what a killed run left behind and takes hold of exits, signals and crashes. */
	readonly start: () => void;
	/** Switches a mode on; nothing happens where it is on, or where the terminal cannot do it. */
	readonly enable: (mode: TerminalMode) => void;
	readonly disable: (mode: TerminalMode) => void;
	/** Switches off all that is on, at once and synchronously. A second call writes nothing. */
	readonly reset: () => void;
	/** Resets and lets go of the hooks: the ordinary end. */
	readonly end: () => void;
	/** What Ctrl-Z does where the terminal is raw: reset, stop, and `onResume` when the shell continues us. */
	readonly suspend: () => void;
	/**
	 * Rings the bell, and where the terminal is known to show notifications (OSC 9), has it show one. Only printable text
	 * of it is used (SAFETY 3).
	 */
	readonly notify: (text: string) => void;
	/** Copies to the clipboard of the terminal (OSC 52). Gives false where the text is too long or there is no terminal. */
	readonly copy: (text: string) => boolean;
};

/** The longest text for the clipboard, in bytes of UTF-8: its sequence stays below the 100,000 bytes that terminals take. */
const copyLimit = 74_000;
const noticeLimit = 200;

/** Owns every mode of the terminal that is switched on, and switches it off however the process ends (SAFETY 5). */
export function createTerminalSession(options: TerminalSessionOptions): TerminalSession {
	const {stdout, process, environment = {}, onSuspend, onContinue, onResume} = options;
	const able = stdout.isTTY === true && environment['TERM'] !== 'dumb';
	// These two take the kitty sequences for others of theirs.
	const noKitty = environment['TERM'] === 'linux' || environment['TERM_PROGRAM'] === 'Apple_Terminal';
	let enabled: readonly TerminalMode[] = [];
	let suspended: readonly TerminalMode[] | undefined;
	let continuation: NodeJS.Timeout | undefined;
	let hooked = false;

	const write = (text: string) => {
		if (able && text) {
			stdout.write(text);
		}
	};

	/** The switch `text` of a mode; what is kept per screen moves to the other screen with us. */
	const switching = (mode: TerminalMode, text: string) => {
		const moved = mode === 'alternate-screen' ? perScreen.filter(other => enabled.includes(other)) : [];
		return [...moved.map(other => modes[other].off), text, ...moved.map(other => modes[other].on)].join('');
	};

	const switchOn = (mode: TerminalMode) => {
		enabled = [...enabled, mode];
		return switching(mode, modes[mode].on);
	};

	const switchOff = (mode: TerminalMode) => {
		enabled = enabled.filter(other => other !== mode);
		return switching(mode, modes[mode].off);
	};

	const reset = () => {
		// Last on, first off; and noted as off before it is written, so that a crash inside the write cannot come back here.
		const off = enabled.toReversed().map(switchOff).join('');
		write(off && `${off}\u001b[0m`);
	};

	const enable = (mode: TerminalMode) => {
		if (able && !enabled.includes(mode) && !(mode === 'kitty-keyboard' && noKitty)) {
			write(switchOn(mode));
		}
	};

	const resume = () => {
		onContinue?.();
		const modesBefore = suspended ?? enabled;
		suspended = undefined;
		clearTimeout(continuation);
		// Somebody else may have stopped us and changed the modes meanwhile.
		reset();
		for (const mode of modesBefore) {
			enable(mode);
		}

		process.off('SIGTSTP', suspend);
		process.on('SIGTSTP', suspend);
		onResume?.();
	};

	/** Clearing our part of the screen may have hidden the cursor again. */
	const letGo = (isDrawing: boolean) => {
		onSuspend?.();
		write(isDrawing ? modes.drawing.off : '');
	};

	const suspend = () => {
		if (suspended) {
			return;
		}

		suspended = enabled;
		reset();
		letGo(suspended.includes('drawing'));
		// Without our handler the signal stops the whole job, as a shell expects: us and what started us.
		process.off('SIGTSTP', suspend);
		process.kill(0, 'SIGTSTP');
		// Nobody can continue a job that has no shell, so the system does not stop it: then we go on by ourselves. With the
		// input stopped this timer is also what keeps the process from ending before SIGCONT is handled, which goes first.
		continuation = setTimeout(() => setImmediate(() => suspended && resume()), 100);
	};

	const endBySignal = endSignals.map(signal => {
		const listener = () => {
			const isDrawing = enabled.includes('drawing');
			end();
			letGo(isDrawing);
			// With nobody listening the signal does what it does to any program, and the status says so.
			process.kill(process.pid, signal);
		};
		return [signal, listener] as const;
	});

	/** The monitor sees an uncaught error, or rejection, before it is told and the program ends; it changes nothing of that. */
	const hooks: readonly (readonly [HookedEvent, () => void])[] = [
		...endBySignal,
		['SIGTSTP', suspend],
		['SIGCONT', resume],
		['exit', reset],
		['uncaughtExceptionMonitor', reset],
	];

	const end = () => {
		reset();
		hooked = false;
		suspended = undefined;
		clearTimeout(continuation);
		for (const [event, listener] of hooks) {
			process.off(event, listener);
		}
	};

	return {
		start() {
			if (hooked) {
				return;
			}

			hooked = true;
			write(leftBehind + (noKitty ? '' : '\u001b[=0u'));
			for (const [event, listener] of hooks) {
				process.on(event, listener);
			}
		},
		enable,
		disable(mode) {
			if (enabled.includes(mode)) {
				write(switchOff(mode));
			}
		},
		reset,
		end,
		suspend,
		notify: text => write(`\u0007${showsNotifications(environment) ? `\u001b]9;${noticeOf(text)}\u001b\\` : ''}`),
		copy(text) {
			const bytes = Buffer.from(text, 'utf8');
			if (!able || bytes.length > copyLimit) {
				return false;
			}

			write(`\u001b]52;c;${bytes.toString('base64')}\u001b\\`);
			return true;
		},
	};
}

/** Other terminals take the sequence for something else, or print it; a multiplexer keeps it to itself. */
function showsNotifications({TERM, TERM_PROGRAM = '', TMUX}: Environment): boolean {
	return !TMUX && (['iTerm.app', 'WezTerm', 'ghostty'].includes(TERM_PROGRAM) || TERM === 'xterm-kitty');
}

/** A notification without controls, line ends and what turns the direction of text around. */
function noticeOf(text: string): string {
	const printable = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
	return [...printable].slice(0, noticeLimit).join('');
}
