/** Keys with a name. Any other key is named by its character. */
export type NamedKey =
	| 'enter'
	| 'tab'
	| 'backspace'
	| 'delete'
	| 'escape'
	| 'space'
	| 'up'
	| 'down'
	| 'left'
	| 'right'
	| 'home'
	| 'end'
	| 'page-up'
	| 'page-down'
	| 'insert'
	| `f${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`;

export type Modifiers = {readonly ctrl: boolean; readonly alt: boolean; readonly shift: boolean};

/** A key press that is not plain text. */
export type KeyToken = Modifiers & {
	readonly type: 'key';
	/**
	 * A `NamedKey`, or the character of a Ctrl or Alt combination: lower case, with `shift` set for an upper-case
	 * letter.
	 */
	readonly name: string;
};

type MouseKind = 'press' | 'release' | 'drag' | 'move' | 'wheel-up' | 'wheel-down' | 'wheel-left' | 'wheel-right';

/** A mouse event at a cell; the upper left cell is row 0, column 0. */
export type MouseToken = Modifiers & {
	readonly type: 'mouse';
	readonly kind: MouseKind;
	readonly button: 'left' | 'middle' | 'right' | 'none';
	readonly column: number;
	readonly row: number;
};

/** The answer of the terminal to a question of ours. */
export type ReplyToken = {readonly type: 'reply'} & (
	| {readonly reply: 'device-attributes'; readonly attributes: readonly number[]}
	/** Secondary device attributes (DA2): the kind of the terminal, its version, and one more number. */
	| {readonly reply: 'terminal-version'; readonly numbers: readonly number[]}
	| {readonly reply: 'keyboard-flags'; readonly flags: number}
	/** Counted from 0. */
	| {readonly reply: 'cursor-position'; readonly row: number; readonly column: number}
	/** In cells. */
	| {readonly reply: 'window-size'; readonly columns: number; readonly rows: number}
	/** Channels from 0 to 255. A number is one of the terminal's own 16 colours. */
	| {
			readonly reply: 'color';
			readonly of: 'foreground' | 'background' | 'cursor' | number;
			readonly red: number;
			readonly green: number;
			readonly blue: number;
	  }
	| {readonly reply: 'mode'; readonly mode: number; readonly state: ModeState}
);

/** The five values of DECRPM. */
type ModeState = 'unknown' | 'set' | 'reset' | 'always-set' | 'always-reset';

/** Everything that a terminal sends. */
export type InputToken =
	/** A run of printable text, as typed. */
	| {readonly type: 'text'; readonly text: string}
	| KeyToken
	/** A bracketed paste with LF as line end; `truncated` if it is incomplete. */
	| {readonly type: 'paste'; readonly text: string; readonly truncated: boolean}
	| MouseToken
	| {readonly type: 'focus'; readonly focused: boolean}
	| ReplyToken;

export const noModifiers: Modifiers = {ctrl: false, alt: false, shift: false};

export function textToken(text: string): InputToken {
	return {type: 'text', text};
}

export function keyToken(name: string, {ctrl, alt, shift}: Modifiers = noModifiers): KeyToken {
	return {type: 'key', name, ctrl, alt, shift};
}

/**
 * Returns the character of a key with Alt, and with Shift at most; undefined for other keys. Terminals send the same for Esc and a
 * character that is typed at once after it.
 */
export function characterWithAlt({name, ctrl, alt, shift}: KeyToken): string | undefined {
	const character = name === 'space' ? ' ' : name;
	const isCharacter = alt && !ctrl && [...character].length === 1;
	return isCharacter ? (shift ? character.toUpperCase() : character) : undefined;
}

/** Returns the key with its modifiers, always in this order: `ctrl+alt+shift+left`. */
export function chordOf({name, ctrl, alt, shift}: KeyToken): string {
	return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}
