import {unseenCharacters, wellFormedJson} from '../../core/json.ts';

/** Text without any of these characters is safe; other text takes the slow path. */
const suspicious =
	/[^\n\t -~\u00A0-\u00AC\u00AE-\u02FF\u0370-\u0377\u037A-\u0482\u048A-\u0559\u2010-\u2027\u202F-\u205F\u2070-\u20BF\u2100-\u27FF\u2801-\u2BFF\u3000-\u3029\u3041-\u3096\u309B-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF9F]/;

const joiners = '[\\u200C\\u200D]';
/** Scripts whose spelling needs joiners between letters, by the chapters of the Unicode Standard on them. */
const joiningScripts =
	'[' +
	['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu']
		.concat(['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'])
		.map(script => `\\p{Script=${script}}`)
		.join('') +
	']';

/** Returns a pattern for a character after another. It looks back last, because most characters aren't the one sought. */
function after(before: string, character: string, ahead = ''): string {
	return `${character}${ahead}(?<=${before}${character})`;
}

/** One emoji as in UTS #51, section 1.4.9: with presentation selector or skin tone, joined to others or not. */
const emoji = '\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\\uFE0E\\uFE0F])?';
const kept = [
	// Flags of regions: a black flag and the letters of a subdivision as tags. Longer runs hide a message.
	'\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{3,6}\\u{E007F}',
	`${emoji}(?:\\u200D${emoji})*`,
	'[0-9#*][\\uFE0E\\uFE0F]\\u20E3?',
	after(joiningScripts, joiners, `(?=${joiningScripts})`),
	// Glyph variants of ideographs, mathematical signs and Mongolian letters, one each.
	after('[\\p{Script=Han}\\p{Sm}]', '[\\uFE00-\\uFE0F]'),
	after('\\p{Script=Han}', '[\\u{E0100}-\\u{E01EF}]'),
	after('\\p{Script=Mongolian}', '[\\u180B-\\u180D\\u180F]'),
	// The space between two words of Braille.
	after('[\\u2801-\\u28FF]', '\\u2800', '(?=[\\u2801-\\u28FF])'),
	// Characters of the format category that have a glyph.
	'[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}]',
].join('|');
/** Controls that a terminal obeys anywhere in a text, except LF, TAB and CR. A run of them is replaced at once. */
const controls = '[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F]';
/**
 * A mark on a letter that has eight: no spelling needs more (Tibetan has that many), and a pile of them covers other
 * lines. Joiners between marks don't begin another letter.
 */
const piledMark = '\\p{M}(?<=[\\p{M}\\u200C\\u200D]{9})';
const hidden = `[${unseenCharacters}]|${piledMark}`;

/** Compiled when the first text needs it, since that takes a moment. */
let pattern: RegExp | undefined;
let hiddenAnywhere: RegExp | undefined;

/**
 * Turns untrusted text into text that may be drawn (SAFETY 1, 2). Drops nothing: characters that a terminal obeys or a
 * reader can't see become glyphs (`␛`, `␍`) or `⟨U+202E⟩`, and so does every mark on a letter after the eighth. LF and TAB
 * stay, CRLF becomes LF, invisible characters stay if spelling or emoji need them. Never throws; idempotent.
 */
export function safeText(text: string): string {
	if (!suspicious.test(text)) {
		return text;
	}

	pattern ??= new RegExp(`\\r\\n|(${kept})|${controls}{2,1024}|${hidden}`, 'gu');
	return replaceEach(text, pattern, ([match, keep]) => keep ?? (match === '\r\n' ? '\n' : shownAll(match)));
}

/**
 * Returns the text with each match of a global expression replaced. `String.replace` with a function keeps all matches
 * until the last is found, which costs more for each of them the more there are.
 */
function replaceEach(text: string, expression: RegExp, replacement: (match: RegExpExecArray) => string): string {
	const pieces: string[] = [];
	let end = 0;
	for (const match of text.matchAll(expression)) {
		pieces.push(text.slice(end, match.index), replacement(match));
		end = match.index + match[0].length;
	}

	return pieces.join('') + text.slice(end);
}

/** Does the same as `safeText` for one line: LF becomes `␊`, TAB a space. */
export function safeLine(text: string): string {
	return safeText(text).replaceAll('\n', '\u240A').replaceAll('\t', ' ');
}

/**
 * Returns `value` as JSON that is safe in a terminal: escapes what `safeText` would replace, so that a parser reads the
 * same value, except halves of surrogate pairs.
 */
export function safeJson(value: unknown, indent?: number): string {
	hiddenAnywhere ??= new RegExp(`(?!\\n)(?:${hidden})`, 'gu');
	return wellFormedJson(value, indent).replace(hiddenAnywhere, escaped);
}

function escaped(character: string): string {
	const units = character.split('');
	return units.map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

function shownAll(characters: string): string {
	return characters.length === 1 ? shown(characters) : Array.from(characters, shown).join('');
}

function shown(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	if (code === 0x09 || code === 0x0a) {
		return character;
	}

	if (code < 0x20) {
		return String.fromCharCode(0x2400 + code);
	}

	return code === 0x7f ? '\u2421' : `\u27E8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27E9`;
}
