import type {Environment} from '../core/environment.ts';

/** Asks for the secondary device attributes (DA2), and erases what a terminal prints that doesn't know the question. */
export const askVersion = '\u001b7\u001b[>c\u001b8\u001b[K';

/** Terminals that cut rows in a narrower window: xterm, rxvt, rxvt-unicode. */
const cuttingKinds: readonly (number | undefined)[] = [41, 82, 85];
const puttyVersion = 136;
const moshVersion = 10;

const kittyVersions = {from: 4000, to: 4999};

/**
 * Returns true for kitty, by its answer to `askVersion`: in a smaller window it pushes up rows until those below the cursor
 * fit, and leaves the cursor where it was, in what is another row by then.
 */
export function keepsRowsBelow([kind, version = 0]: readonly number[]): boolean {
	return kind === 1 && version >= kittyVersions.from && version <= kittyVersions.to;
}

/** The first kitty 0.x that knows prompts. */
const kittyWithPrompts = 24;

/**
 * Returns true for a kitty, by its answer to `askVersion`, that blanks the rows from the mark of a prompt down when it is
 * resized, and pulls rows of its scrollback down on request.
 */
export function blanksMarkedRows(version: readonly number[]): boolean {
	const [, major = 0, minor = 0] = version;
	return keepsRowsBelow(version) && (major > kittyVersions.from || minor >= kittyWithPrompts);
}

const vteKind = 65;

/**
 * Returns true for VTE, by its answer to `askVersion`: a row that is erased from its beginning and written again still
 * continues the row before it, if the old one did, and is joined with that in a wider window.
 */
export function joinsRows([kind]: readonly number[]): boolean {
	return kind === vteKind;
}

const screenKind = 83;

/**
 * Returns true for GNU Screen, by its answer to `askVersion`: a row that continues in the next one does so until it is inserted
 * or deleted, also when it is erased.
 */
export function keepsBreaks([kind]: readonly number[]): boolean {
	return kind === screenKind;
}

/** Returns false for GNU Screen, by its answer to `askVersion`: it doesn't know the question for the size of the window. */
export function tellsSize([kind]: readonly number[]): boolean {
	return kind !== screenKind;
}

/**
 * Returns true if the terminal, by its answer to `askVersion`, rewraps rows that are wider than a narrowed window;
 * false if it cuts them or gave no answer, as `linux` and st. The answer comes through SSH, the environment does not.
 * The cursor position says nothing: in a full window it is the same for both.
 */
export function reflowsRows([kind, version]: readonly number[], env: Environment): boolean {
	if (kind === undefined || (kind === 0 && version === puttyVersion)) {
		return false;
	}

	// Ghostty answers as Mosh does, but rewraps rows.
	const isMosh = kind === 1 && version === moshVersion && !env['TERM']?.includes('ghostty');
	return !isMosh && !cuttingKinds.includes(kind);
}
