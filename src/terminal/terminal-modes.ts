/** What can be switched on at a terminal, and the only sequences by which it is (xterm, ctlseqs; kitty keyboard protocol). */
export const modes = {
	/** The wheel sends arrow keys there (1007): mouse reports would take the selection from the terminal. Its own way comes back. */
	'alternate-screen': {on: '\u001b[?1049h\u001b[?1007s\u001b[?1007h', off: '\u001b[?1007r\u001b[?1049l'},
	/**
	 * While we draw, no row wraps by itself (DECAWM): where the terminal counts more cells than we do, a row is cut and not
	 * doubled. Whoever draws may have hidden the cursor: then it comes back as well.
	 */
	drawing: {on: '\u001b[?7l', off: '\u001b[?7h\u001b[?25h'},
	'bracketed-paste': {on: '\u001b[?2004h', off: '\u001b[?2004l'},
	'focus-reports': {on: '\u001b[?1004h', off: '\u001b[?1004l'},
	'hidden-cursor': {on: '\u001b[?25l', off: '\u001b[?25h'},
	/** Disambiguated keys (1) and their alternates (4); release events are not asked for. */
	'kitty-keyboard': {on: '\u001b[>5u', off: '\u001b[<u'},
	'modify-other-keys': {on: '\u001b[>4;2m', off: '\u001b[>4;0m'},
	'synchronized-output': {on: '\u001b[?2026h', off: '\u001b[?2026l'},
} as const;

export type TerminalMode = keyof typeof modes;

/** Terminals keep a stack of kitty flags for each screen. */
export const perScreen: readonly TerminalMode[] = ['kitty-keyboard'];

/**
 * What a killed run may have left behind. The alternate screen is left by 1047, because 1049 would move the cursor of a
 * terminal that is not on it. Nothing here clears a line of the screen or of its scrollback.
 */
export const leftBehind = [
	modes['synchronized-output'].off,
	// Mouse reports, which we never ask for, but others leave on.
	'\u001b[?1006l\u001b[?1000l',
	modes['focus-reports'].off,
	modes['bracketed-paste'].off,
	modes['modify-other-keys'].off,
	'\u001b[?1047l',
	modes.drawing.off,
	'\u001b[0m',
].join('');
