/** The modes of a terminal that we set, and the only sequences that set them (xterm, ctlseqs; kitty keyboard protocol). */
export const modes = {
	/** The wheel sends arrow keys there (1007): mouse reports would take the selection from the terminal. Restored by `off`. */
	'alternate-screen': {on: '\u001b[?1049h\u001b[?1007s\u001b[?1007h', off: '\u001b[?1007r\u001b[?1049l'},
	/** On the alternate screen, where its arrow keys would mark an answer to a question, the wheel does nothing. */
	'no-wheel': {on: '\u001b[?1007l', off: '\u001b[?1007h'},
	/**
	 * While we draw, no row wraps by itself (DECAWM): if the terminal counts more cells than we do, a row is cut and not
	 * doubled. The renderer may have hidden the cursor, so `off` shows it again.
	 */
	drawing: {on: '\u001b[?7l', off: '\u001b[?7h\u001b[?25h'},
	'bracketed-paste': {on: '\u001b[?2004h', off: '\u001b[?2004l'},
	'focus-reports': {on: '\u001b[?1004h', off: '\u001b[?1004l'},
	'hidden-cursor': {on: '\u001b[?25l', off: '\u001b[?25h'},
	/**
	 * Disambiguated keys (1) and their alternates (4), without release events. Konsole reads `off` as “restore the cursor”,
	 * which must then stand where it was saved.
	 */
	'kitty-keyboard': {on: '\u001b[>5u', off: '\u001b7\u001b[<u'},
	/** Alt sends ESC and the key. Without it xterm sends another letter: `ø` for Alt+X. */
	'meta-sends-escape': {on: '\u001b[?1036s\u001b[?1036h', off: '\u001b[?1036r'},
	/** What the terminal shows about us outside of its window (OSC 9;4). */
	progress: {on: '', off: '\u001b]9;4;0;0\u001b\\'},
	/** What the terminal shows about us beside those of other programs (OSC 7501, program status). */
	status: {on: '', off: '\u001b]7501;state=clear\u001b\\'},
	/** A title of ours. The old one is pushed (22), and popped (23); where the terminal has no stack, ours is cleared. */
	title: {on: '\u001b[22;2t', off: '\u001b]2;\u001b\\\u001b[23;2t'},
	/**
	 * Shift+Enter and Ctrl+Enter, in terminals without the kitty protocol such as xterm. Level 1 leaves Ctrl+C as it is, also
	 * for the shell of a program that was killed; `off` returns to the user's own level.
	 */
	'modify-other-keys': {on: '\u001b[>4;1m', off: '\u001b[>4m'},
	'synchronized-output': {on: '\u001b[?2026h', off: '\u001b[?2026l'},
} as const;

export type TerminalMode = keyof typeof modes;

/** The modes that have a sequence besides those that switch them. */
export type ShownMode = Extract<TerminalMode, 'title' | 'progress' | 'status'>;

/** Terminals keep a stack of kitty flags for each screen. */
const perScreen: readonly TerminalMode[] = ['kitty-keyboard'];

/** Shows the cursor again after the part of the screen that we draw was cleared. */
export const endDrawing = modes.drawing.off;

/**
 * Resets what a killed run may have left on. 47 ends the alternate screen: 1049 would move the cursor of a terminal that is
 * not on it, and 1047 clears the window of rxvt. Nothing here clears a line of the screen or of its scrollback.
 */
export const resetLeftovers = [
	modes['synchronized-output'].off,
	// Mouse reports, which we never switch on, but other programs leave on.
	'\u001b[?1006l\u001b[?1000l',
	modes['focus-reports'].off,
	modes['bracketed-paste'].off,
	modes['modify-other-keys'].off,
	// The keypad sends digits (DECKPNM): what its Enter sends otherwise is Shift+Enter of Konsole.
	'\u001b>',
	'\u001b[?47l',
	modes.drawing.off,
	'\u001b[0m',
].join('');

export type ModeSwitches = {
	/** The modes that are on, in the order in which they were enabled. */
	readonly enabled: () => readonly TerminalMode[];
	/** Does nothing if the mode is on. */
	readonly enable: (mode: TerminalMode) => void;
	/** Does nothing if the mode is off. */
	readonly disable: (mode: TerminalMode) => void;
	/** Switches off every mode, at once and synchronously. A second call writes nothing. */
	readonly reset: () => void;
};

/** Tracks which modes are on, and writes the sequences that switch them. */
export function createModeSwitches(write: (text: string) => void): ModeSwitches {
	let enabled: readonly TerminalMode[] = [];

	const switchOff = (mode: TerminalMode) => {
		enabled = enabled.filter(other => other !== mode);
		return sequenceOf(mode, 'off', enabled);
	};

	return {
		enabled: () => enabled,
		enable(mode) {
			if (!enabled.includes(mode)) {
				enabled = [...enabled, mode];
				write(sequenceOf(mode, 'on', enabled));
			}
		},
		disable(mode) {
			if (enabled.includes(mode)) {
				write(switchOff(mode));
			}
		},
		reset() {
			// Last on, first off; and noted as off before it is written, so that a crash inside the write can't come back here.
			const off = enabled.toReversed().map(switchOff).join('');
			write(off && `${off}\u001b[0m`);
		},
	};
}

/** Returns the sequence that switches a mode; a mode that is kept per screen moves to the other screen with us. */
function sequenceOf(mode: TerminalMode, to: 'on' | 'off', enabled: readonly TerminalMode[]): string {
	const moved = mode === 'alternate-screen' ? perScreen.filter(other => enabled.includes(other)) : [];
	return [...moved.map(other => modes[other].off), modes[mode][to], ...moved.map(other => modes[other].on)].join('');
}
