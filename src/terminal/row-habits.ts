import type {Environment} from '../core/environment.ts';

/** Asks for the secondary device attributes (DA2), and erases what a terminal prints that doesn't know the question. */
export const askVersion = '\u001b7\u001b[>c\u001b8\u001b[K';

/** What a terminal does with its rows, and tells of them. */
export type RowHabits = {
	/** It rewraps rows that are wider than a narrowed window. False if it cuts them, as `linux` and st. */
	readonly reflows: boolean;
	/**
	 * In a smaller window it pushes up rows until those below the cursor fit, and leaves the cursor where it was, in what is
	 * another row by then. So does kitty.
	 */
	readonly keepsBelow: boolean;
	/**
	 * It blanks the rows from the mark of a prompt down when it is resized, and leaves rows that it pushed up in its
	 * scrollback, but pulls them down on request. So does kitty from 0.24 on, the first one that knows prompts.
	 */
	readonly blanksMarked: boolean;
	/**
	 * A row that is erased from its beginning and written again still continues the row before it, if the old one did, and is
	 * joined with that in a wider window. So does VTE.
	 */
	readonly joins: boolean;
	/** A row that continues in the next one does so until it is inserted or deleted, also when it is erased. So does GNU Screen. */
	readonly keepsBreaks: boolean;
	/** It knows the question for the size of the window. GNU Screen doesn't. */
	readonly tellsSize: boolean;
};

/** Kinds of terminals, as they answer `askVersion`. xterm, rxvt and rxvt-unicode cut rows in a narrower window. */
const cuttingKinds: readonly (number | undefined)[] = [41, 82, 85];
const vte = 65;
const screen = 83;
const puttyVersion = 136;
const moshVersion = 10;

const kittyVersions = {from: 4000, to: 4999};
/** The first kitty 0.x that knows prompts. */
const kittyWithPrompts = 24;

/**
 * Returns the habits of a terminal by its answer to `askVersion`, empty if there is none. The answer comes through SSH, the
 * environment does not. The cursor position says nothing: in a full window it is the same for all of them.
 */
export function rowHabits(version: readonly number[], env: Environment): RowHabits {
	const [kind, major = 0, minor = 0] = version;
	const isKitty = kind === 1 && major >= kittyVersions.from && major <= kittyVersions.to;
	const isScreen = kind === screen;
	return {
		reflows: reflows(kind, major, env),
		keepsBelow: isKitty,
		blanksMarked: isKitty && (major > kittyVersions.from || minor >= kittyWithPrompts),
		joins: kind === vte || isScreen,
		keepsBreaks: isScreen,
		tellsSize: !isScreen,
	};
}

function reflows(kind: number | undefined, version: number, {TERM}: Environment): boolean {
	if (kind === undefined || (kind === 0 && version === puttyVersion)) {
		return false;
	}

	// Ghostty answers as Mosh does, but rewraps rows.
	const isMosh = kind === 1 && version === moshVersion && !TERM?.includes('ghostty');
	return !isMosh && !cuttingKinds.includes(kind);
}
