/**
 * The arguments of a tool call that is still being written, as far as they can be shown: short texts, and the end of long
 * ones. The JSON itself isn't kept, so that a piece costs what it is long, whatever came before. For drawing only: nothing
 * may be run from it.
 */
export type PartialArguments = {
	/** The beginning of each short text, by the name of its argument. */
	readonly texts: Readonly<Record<string, string>>;
	/** Lines of the long texts so far. */
	readonly lines: number;
	/** The end of the last long text. */
	readonly tail: string;
	readonly scan: Scan;
};

/** Where in the JSON the reader is. */
type Scan = {
	/** The containers that are open, `{` or `[` each. */
	readonly open: string;
	/** The kind of string that the reader is in. */
	readonly within: 'key' | 'value' | undefined;
	/** True if the next string is a key. */
	readonly isKeyNext: boolean;
	/** The last key. */
	readonly key: string;
	/** An escape sequence that isn't complete. */
	readonly escape: string;
	/** True if the next character begins a line of a long text. */
	readonly isLineStart: boolean;
};

type Writable<Type> = {-readonly [Key in keyof Type]: Type[Key]};
type Reader = Writable<Omit<PartialArguments, 'scan'>> & Writable<Scan>;

/** Arguments whose text may be long: the content of a file, the new text of an edit. */
const longTexts: ReadonlySet<string> = new Set(['content', 'new_text']);
export const maxText = 500;
export const maxTail = 1000;
const maxKey = 100;
const maxTexts = 20;
const maxDepth = 64;

export const noArguments: PartialArguments = {
	texts: {},
	lines: 0,
	tail: '',
	scan: {open: '', within: undefined, isKeyNext: false, key: '', escape: '', isLineStart: true},
};

/** Reads the next piece of the JSON. Never throws: what is no JSON is read as far as it looks like some. */
export function readArguments({scan, ...shown}: PartialArguments, piece: string): PartialArguments {
	const reader: Reader = {...shown, ...scan};
	for (let at = 0; at < piece.length; ) {
		at = reader.within ? readString(reader, piece, at) : readBetween(reader, piece, at);
	}

	const {texts, lines, tail, ...next} = reader;
	return {texts, lines, tail, scan: next};
}

/** Reads a character outside of strings. Returns the index after it. */
function readBetween(reader: Reader, piece: string, at: number): number {
	switch (piece[at]) {
		case '"':
			begin(reader);
			break;
		case '{':
		case '[':
			reader.open = reader.open.length < maxDepth ? reader.open + piece[at] : reader.open;
			reader.isKeyNext = piece[at] === '{';
			break;
		case '}':
		case ']':
			reader.open = reader.open.slice(0, -1);
			reader.isKeyNext = false;
			break;
		case ',':
			reader.isKeyNext = reader.open.endsWith('{');
			break;
		default: // Numbers, names and white space.
	}

	return at + 1;
}

function begin(reader: Reader): void {
	reader.within = reader.isKeyNext ? 'key' : 'value';
	if (reader.isKeyNext) {
		reader.key = '';
		reader.isKeyNext = false;
	} else if (longTexts.has(reader.key)) {
		reader.tail = '';
		reader.isLineStart = true;
	}
}

const special = /["\\]/g;

/** Reads on in a string, up to its end or the next escape sequence. Returns the index after what was read. */
function readString(reader: Reader, piece: string, at: number): number {
	if (reader.escape) {
		reader.escape += piece[at];
		const text = unescaped(reader.escape);
		if (text !== undefined) {
			reader.escape = '';
			append(reader, text);
		}

		return at + 1;
	}

	special.lastIndex = at;
	const end = special.exec(piece)?.index ?? piece.length;
	append(reader, piece.slice(at, end));
	if (piece[end] === '"') {
		reader.within = undefined;
	} else if (piece[end] === '\\') {
		reader.escape = '\\';
	}

	return end + 1;
}

const escapes: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r', b: '\b', f: '\f'};

/** Returns the character of an escape sequence; undefined if it isn't complete. */
function unescaped(sequence: string): string | undefined {
	const sign = sequence[1] ?? '';
	if (sign !== 'u') {
		return escapes[sign] ?? sign;
	}

	return sequence.length < 6 ? undefined : String.fromCharCode(Number.parseInt(sequence.slice(2), 16) || 0xfffd);
}

function append(reader: Reader, text: string): void {
	if (text === '') {
		return;
	}

	if (reader.within === 'key') {
		reader.key = (reader.key + text).slice(0, maxKey);
	} else if (longTexts.has(reader.key)) {
		addLong(reader, text);
	} else if (reader.open.length === 1) {
		addShort(reader, text);
	}
}

function addLong(reader: Reader, text: string): void {
	const ends = text.split('\n').length - 1;
	const isEnded = text.endsWith('\n');
	reader.lines += ends + (reader.isLineStart ? 1 : 0) - (isEnded ? 1 : 0);
	reader.isLineStart = isEnded;
	reader.tail = (reader.tail + text).slice(-maxTail);
}

function addShort(reader: Reader, text: string): void {
	const before = Object.hasOwn(reader.texts, reader.key) ? (reader.texts[reader.key] ?? '') : undefined;
	if (before !== undefined ? before.length < maxText : Object.keys(reader.texts).length < maxTexts) {
		reader.texts = {...reader.texts, [reader.key]: ((before ?? '') + text).slice(0, maxText)};
	}
}
