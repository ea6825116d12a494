import {mask} from './secret.ts';

/** Masks known values in texts, in the forms in which programs print them. */
export type ValueMask = {
	/** Returns a text in which they are masked, with the same lines. Linear in its length, however many there are. */
	readonly hide: (text: string) => string;
};

/** A form of a value: what to look for. */
type Form = {
	readonly text: string;
	/** Fewer characters of it reveal nothing. */
	readonly least: number;
	/** True if the characters beside it hold bits of the value, too: base64, and base32. */
	readonly isBase64: boolean;
};

type Place = {readonly form: Form; readonly at: number};

/** Where pieces of forms are, by their hash, and for each hash a bit that most texts don't have. */
type Table = {readonly places: ReadonlyMap<number, readonly Place[]>; readonly bits: Uint8Array};

/** A part of a text as it is read: `length` characters in place of `rawLength`. */
type Part = {readonly raw: number; readonly rawLength: number; readonly at: number; readonly length: number};

/** A text without what tears values apart, and where its parts come from. */
type Reading = {readonly text: string; readonly parts: () => readonly Part[]};

type Range = {readonly start: number; readonly end: number};

/** Characters of a piece that is looked up. A shorter form isn't found. */
const pieceLength = 6;
/** Pieces of a form that begin this far apart find every part of it. */
const stride = 4;
/** Characters of a random value that reveal it, and digits of its hexadecimal form. */
const leastText = 12;
const leastBase64 = 16;
const leastHex = 24;
const leastBase32 = 20;
const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Characters by which a long value is known. */
const longText = 48;

const control = String.raw`\x1B\[[\d;:?]*[A-Za-z]|\x1B\][^\x07\x1B]{0,200}(?:\x07|\x1B\\)|\x1B[()][A-Z\d]`;
/** What tears a value apart: white space, colours, characters without width, and the offsets of od. */
const between = String.raw`^0[0-7]{6}(?=\s)|[\s\u00AD\u200B-\u200D\u2060\uFEFF]+|${control}`;
const gaps = new RegExp(between, 'gm');
const escapedCharacter = String.raw`(?:u[\da-f]{4}|x[\da-f]{2}|[0-3][0-7]{2}|[abfnrtv0]|)`;
/**
 * How strings, URLs and HTML write characters. Several backslashes are those of one character in a string that is itself in a
 * string, or two are a backslash: texts that have two are read in both ways.
 */
const escapes = [
	String.raw`\\+${escapedCharacter}`,
	String.raw`%[\da-f]{2}`,
	String.raw`&(?:amp|lt|gt|quot|apos|#\d{1,5}|#x[\da-f]{1,5});`,
];
const escapesWithGaps = (kind: string) => new RegExp(`${kind}|${between}`, 'gim');
const allEscapes = escapesWithGaps(escapes.join('|'));
const escapesOfAKind = [
	...escapes.map(kind => ({isIn: new RegExp(kind, 'i'), expression: escapesWithGaps(kind)})),
	{isIn: /\\\\/, expression: escapesWithGaps(String.raw`\\\\|\\${escapedCharacter}`)},
];
/** What stands between the digits of bytes, as in `\x61`, `0x61, 0x62` and `61:62`. */
const betweenDigits = /(?:0x|\\x|[\s:,.%'"-])+/gi;
const someDigits = /(?:[\da-f]{2}(?:0x|[\s:,.%\\x'"-]){0,8}){8}/i;
const someBase32 = /(?:[A-Z2-7]\s{0,3}){20}/;
/** A line of a dump: its offset, its digits, and the text beside them. */
const dumpLine =
	/^((?:0x)?[\da-f]{6,16}:? {1,2})((?:[\da-f]{2} {1,2}){1,64}(?= *\|)|(?:[\da-f]{2,8} ?){1,64})( *)(.*)$/gim;

/** What isn't a letter or digit: any sign may stand between the characters of a value. */
const signs = /[^\da-z]+/g;
/** A number alone, in any base. */
const numberAlone = /(?<!\w)(?:0[xb])?[\da-f]{2,16}(?!\w)/gi;
/** How dumps and lists of bytes write numbers, and the bytes of each, the lowest first. */
const numberKinds: readonly {readonly base: number; readonly shape: RegExp; readonly bytes: number}[] = [
	{base: 10, shape: /^\d{2,3}$/, bytes: 1},
	{base: 8, shape: /^0?[0-7]{2,3}$/, bytes: 1},
	{base: 16, shape: /^[\da-f]{2}$/i, bytes: 1},
	{base: 2, shape: /^(?:0b)?[01]{6,8}$/, bytes: 1},
	{base: 8, shape: /^[0-7]{6}$/, bytes: 2},
	{base: 10, shape: /^\d{4,5}$/, bytes: 2},
	{base: 10, shape: /^\d{9,10}$/, bytes: 4},
	{base: 16, shape: /^(?:0x)?[\da-f]{8}$/i, bytes: 4},
	{base: 16, shape: /^[\da-f]{16}$/i, bytes: 8},
];
/** Lines of base64 that may hold an encoded value. */
const base64Run = /[A-Za-z\d+/_-]{24,}(?:\r?\n[A-Za-z\d+/_-]+)*/g;
/** Encodings in one another that are read. */
const mostEncodings = 3;

/** Creates a mask of values. One with fewer than six characters that aren't white space is never found. */
export function createValueMask(given: Iterable<string>): ValueMask {
	const values = [...new Set(given)];
	if (values.length === 0) {
		return {hide: text => text};
	}

	const inText = tableOf(values.flatMap(textForms));
	const hexTable = lazyTable(values, hexForms);
	const base32Table = lazyTable(values, base32Forms);
	const inLetters = tableOf(values.filter(looksRandom).flatMap(letterForms));
	const hide = (text: string, encodings: number): string => {
		if (text.length < pieceLength) {
			return text;
		}

		const ranges = [...rangesIn(text, read(text, gaps), inText)];
		ranges.push(...escapedReadings(text).flatMap(reading => rangesIn(text, reading, inText)));

		ranges.push(...numbersIn(text).flatMap(bytes => rangesIn(text, bytes, inText)));
		const lower = text.toLowerCase();
		// A few letters have more units in lower case.
		if (lower.length === text.length) {
			ranges.push(...rangesIn(text, read(lower, signs), inLetters));
		}

		if (someBase32.test(text)) {
			ranges.push(...rangesIn(text, read(text, gaps), base32Table()));
		}

		if (someDigits.test(text)) {
			const inHex = hexTable();
			if (lower.length === text.length) {
				ranges.push(...rangesIn(text, read(lower, betweenDigits), inHex));
				ranges.push(...dumpsIn(lower).flatMap(digits => rangesIn(text, digits, inHex)));
			}

			ranges.push(...dumpsIn(text, 'text').flatMap(beside => rangesIn(text, beside, inText)));
		}

		if (encodings < mostEncodings) {
			ranges.push(...encodedIn(text, decoded => hide(decoded, encodings + 1) !== decoded));
		}

		return replaceRanges(text, ranges);
	};
	return {hide: text => hide(text, 0)};
}

const masks = new WeakMap<readonly string[], ValueMask>();

/** Masks these values in a text; see `ValueMask`. What finds them is kept as long as the list is. */
export function hideValues(text: string, values: readonly string[]): string {
	const found = masks.get(values) ?? createValueMask(values);
	masks.set(values, found);
	return found.hide(text);
}

/** True for a text that nobody would make up: letters and digits, mixed. */
export function looksRandom(text: string): boolean {
	if (text.length < leastText || !/\d/.test(text) || !/[A-Za-z]/.test(text)) {
		return false;
	}

	const kinds = Array.from(text, character =>
		/\d/.test(character) ? 'd' : /[a-z]/.test(character) ? 'l' : /[A-Z]/.test(character) ? 'u' : '',
	);
	const changes = kinds.filter(
		(kind, index) => index > 0 && kind !== '' && kinds[index - 1] !== '' && kind !== kinds[index - 1],
	);
	return changes.length >= Math.max(3, text.length / 6);
}

function textForms(value: string): readonly Form[] {
	const bytes = Buffer.from(value);
	const plain = [
		read(value, gaps).text,
		...escapedReadings(value).map(({text}) => text),
		value.replace(/\s/g, '+'),
		// Escapes stand for bytes.
		read(bytes.toString('latin1'), gaps).text,
	];
	return [
		...[...new Set(plain)].map(text => ({text, least: leastOf(text), isBase64: false})),
		...[0, 1, 2].flatMap(shift => {
			const text = base64At(bytes, shift);
			const url = text.replaceAll('+', '-').replaceAll('/', '_');
			return [...new Set([text, url])].map(form => ({
				text: form,
				isBase64: true,
				least: Math.min(leastBase64, form.length),
			}));
		}),
	];
}

/** Returns the letters and digits of a value, forwards and backwards: programs may print it in another case, or reversed. */
function letterForms(value: string): readonly Form[] {
	const text = value.toLowerCase().replace(signs, '');
	const forms = text.length < leastText ? [] : [text, [...text].reverse().join('')];
	return forms.map(form => ({text: form, isBase64: false, least: leastText}));
}

function leastOf(text: string): number {
	return looksRandom(text) ? leastText : Math.min(longText, text.length);
}

/** Returns the characters of base64 that hold bits of a value alone, if `shift` bytes of a group of three are before it. */
function base64At(bytes: Buffer, shift: number): string {
	const all = Buffer.concat([Buffer.alloc(shift), bytes]);
	return all.toString('base64').slice(shift === 0 ? 0 : shift + 1, Math.floor((all.length * 8) / 6));
}

function base32Forms(value: string): readonly Form[] {
	return [0, 1, 2, 3, 4].map(shift => {
		const text = base32At(Buffer.from(value), shift);
		return {text, isBase64: true, least: Math.min(leastBase32, text.length)};
	});
}

/** Returns the characters of base32 that hold bits of a value alone, if `shift` bytes of a group of five are before it. */
function base32At(bytes: Buffer, shift: number): string {
	const first = Math.ceil((shift * 8) / 5);
	const last = Math.floor(((shift + bytes.length) * 8) / 5);
	return Array.from({length: last - first}, (_, index) => {
		const bit = (first + index) * 5 - shift * 8;
		const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
		return base32Digits[(pair >> (11 - (bit & 7))) & 31];
	}).join('');
}

function hexForms(value: string): readonly Form[] {
	const bytes = Buffer.from(value);
	/** As a dump of words of two bytes has them on most machines. */
	const swapped = [0, 1].map(from => {
		const even = bytes.subarray(from, from + Math.floor((bytes.length - from) / 2) * 2);
		return Buffer.from(even).swap16().toString('hex');
	});
	const hex = bytes.toString('hex');
	const reversed = [[...hex].reverse().join(''), Buffer.from(bytes).reverse().toString('hex')];
	return [hex, ...swapped, ...reversed].map(text => ({
		text,
		isBase64: false,
		least: Math.min(leastHex, text.length),
	}));
}

/** Returns what creates a table when it is needed first: few texts have the forms in it. */
function lazyTable(values: readonly string[], formsOf: (value: string) => readonly Form[]): () => Table {
	let table: Table | undefined;
	return () => {
		table ??= tableOf(values.flatMap(formsOf));
		return table;
	};
}

function tableOf(forms: readonly Form[]): Table {
	const places = new Map<number, Place[]>();
	const bits = new Uint8Array(1 << bitCount);
	for (const form of forms.filter(({text, least}) => text.length >= pieceLength && least >= pieceLength)) {
		const last = form.text.length - pieceLength;
		// Every part of the least length has a piece in it; the last one is there for the end of a form.
		const starts = form.least < form.text.length ? [...numbersTo(last, stride), last] : [0];
		const own = new Set<number>();
		for (const at of starts) {
			const hash = hashAt(form.text, at);
			if (!own.has(hash)) {
				own.add(hash);
				bits[bitOf(hash)] = 1;
				places.set(hash, [...(places.get(hash) ?? []), {form, at}]);
			}
		}
	}

	return {places, bits};
}

function numbersTo(last: number, step: number): readonly number[] {
	return Array.from({length: Math.floor(last / step) + 1}, (_, index) => index * step);
}

/** Few hashes of a text share a bit with one of a thousand values. */
const bitCount = 18;
const base = 0x01_00_01_93;
const basePower = Array.from({length: pieceLength}).reduce<number>(power => Math.imul(power, base), 1);

function hashAt(text: string, at: number): number {
	let hash = 0;
	for (let index = at; index < at + pieceLength; index++) {
		hash = (Math.imul(hash, base) + text.charCodeAt(index)) | 0;
	}

	return hash;
}

function bitOf(hash: number): number {
	return (hash ^ (hash >>> bitCount)) & ((1 << bitCount) - 1);
}

/** Returns where forms, or enough of them, are in the text that was read. */
function rangesIn(raw: string, reading: Reading, {places, bits}: Table): readonly Range[] {
	const {text} = reading;
	const found: Range[] = [];
	let hash = 0;
	let done = 0;
	for (let index = 0; index < text.length; index++) {
		const out = index >= pieceLength ? text.charCodeAt(index - pieceLength) : 0;
		hash = (Math.imul(hash, base) + text.charCodeAt(index) - Math.imul(out, basePower)) | 0;
		const start = index - pieceLength + 1;
		if (start >= done && bits[bitOf(hash)] === 1) {
			const range = (places.get(hash) ?? [])
				.flatMap(place => matchAt(text, start, place) ?? [])
				.reduce<Range | undefined>((wide, one) => (wide ? joined(wide, one) : one), undefined);
			if (range) {
				found.push(range);
				done = Math.max(done, range.end - pieceLength + 1);
			}
		}
	}

	return found.length === 0 ? [] : rawRanges(raw, reading.parts(), found);
}

function joined(one: Range, other: Range): Range {
	return {start: Math.min(one.start, other.start), end: Math.max(one.end, other.end)};
}

/** Returns how far text and form are the same around a piece; undefined if that is too little. */
function matchAt(text: string, start: number, {form, at}: Place): Range | undefined {
	let before = 0;
	while (before < at && before < start && form.text[at - before - 1] === text[start - before - 1]) {
		before++;
	}

	let length = 0;
	while (at + length < form.text.length && form.text[at + length] === text[start + length]) {
		length++;
	}

	if (length < pieceLength || before + length < form.least) {
		return undefined;
	}

	const range = {start: start - before, end: start + length};
	return form.isBase64 ? withEdges(text, range) : range;
}

/** Returns a range of base64 with the characters beside it, which hold bits of the same bytes, and its padding. */
function withEdges(text: string, {start, end}: Range): Range {
	const isDigit = (index: number) => /[\w+/-]/.test(text[index] ?? '');
	const last = isDigit(end) ? end + 1 : end;
	const [padding = ''] = /^={0,2}/.exec(text.slice(last, last + 2)) ?? [];
	return {start: start > 0 && isDigit(start - 1) ? start - 1 : start, end: last + padding.length};
}

/** Reads a text in which each match of an expression is replaced. */
function read(text: string, expression: RegExp, decode?: (match: string) => string): Reading {
	return {
		text: decode ? text.replace(expression, match => decode(match)) : text.replace(expression, ''),
		parts() {
			const parts: Part[] = [];
			let [raw, at] = [0, 0];
			const add = (rawLength: number, length: number) => {
				parts.push({raw, rawLength, at, length});
				raw += rawLength;
				at += length;
			};
			for (const {0: match, index} of text.matchAll(expression)) {
				if (index > raw) {
					add(index - raw, index - raw);
				}

				add(match.length, decode?.(match).length ?? 0);
			}

			add(text.length - raw, text.length - raw);
			return parts.filter(({length}) => length > 0);
		},
	};
}

/**
 * Reads a text with all escapes, and with those of each kind that it has. To programs that write only one kind, a sign of
 * another is a character: at the end of a value it would make an escape of what stands beside it.
 */
function escapedReadings(text: string): readonly Reading[] {
	const kinds = escapesOfAKind.filter(({isIn}) => isIn.test(text)).map(({expression}) => expression);
	const expressions = kinds.length > 1 ? [allEscapes, ...kinds] : kinds;
	return expressions.map(expression => read(text, expression, unescaped));
}

const entities: Readonly<Record<string, string>> = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'"};

/** Returns what an escape of a string, a URL or HTML stands for; nothing for what tears values apart. */
function unescaped(match: string): string {
	const [, digits] = /^(?:\\+[ux]|%|&#x)([\da-f]+);?$/i.exec(match) ?? [];
	const [, octal] = /^\\+([0-7]{3})$/.exec(match) ?? [];
	const [, decimal] = /^&#(\d+);$/.exec(match) ?? [];
	const code = digits ? Number.parseInt(digits, 16) : octal ? Number.parseInt(octal, 8) : Number(decimal ?? Number.NaN);
	return Number.isNaN(code)
		? (entities[match.slice(1, -1).toLowerCase()] ?? '')
		: String.fromCharCode(code).replace(/\s/, '');
}

/** Reads the digits of dumps, or the texts beside them. */
function dumpsIn(text: string, what: 'digits' | 'text' = 'digits'): readonly Reading[] {
	const parts: Part[] = [];
	const pieces: string[] = [];
	let at = 0;
	for (const {index, 1: offset = '', 2: digits = '', 3: space = '', 4: beside = ''} of text.matchAll(dumpLine)) {
		const start = index + offset.length;
		const chosen =
			what === 'digits' ? {raw: start, piece: digits} : {raw: start + digits.length + space.length, piece: beside};
		for (const {0: word, index: from} of chosen.piece.matchAll(what === 'digits' ? /[\da-f]+/g : /[^\s|]+/g)) {
			pieces.push(word);
			parts.push({raw: chosen.raw + from, rawLength: word.length, at, length: word.length});
			at += word.length;
		}
	}

	return parts.length === 0 ? [] : [{text: pieces.join(''), parts: () => parts}];
}

/** Reads numbers as the bytes that they stand for, once for each way to write them. */
function numbersIn(text: string): readonly Reading[] {
	const numbers = [...text.matchAll(numberAlone)];
	return numberKinds.flatMap(({base, shape, bytes}) => {
		const own = numbers.filter(([digits]) => shape.test(digits));
		if (own.length * bytes < pieceLength) {
			return [];
		}

		const parts: Part[] = [];
		const pieces: string[] = [];
		let at = 0;
		for (const {0: digits, index} of own) {
			const piece = bytesOf(digits.replace(/^0[xb]/i, ''), base, bytes);
			pieces.push(piece);
			if (piece) {
				parts.push({raw: index, rawLength: digits.length, at, length: piece.length});
			}

			at += piece.length;
		}

		return [{text: pieces.join(''), parts: () => parts}];
	});
}

/** Returns the bytes of a number, the lowest first, as characters, without white space. */
function bytesOf(digits: string, base: number, bytes: number): string {
	if (bytes === 8) {
		return Buffer.from(digits, 'hex')
			.reverse()
			.toString('latin1')
			.replace(/[\s\0]/g, '');
	}

	const number = Number.parseInt(digits, base);
	return Array.from({length: bytes}, (_, index) => String.fromCharCode(Math.floor(number / 256 ** index) % 256))
		.join('')
		.replace(/[\s\0]/g, '');
}

/** Returns where base64 stands for a text in which something is to be masked. */
function encodedIn(text: string, holds: (decoded: string) => boolean): readonly Range[] {
	return [...text.matchAll(base64Run)].flatMap(({0: run, index}) => {
		const digits = run.replace(/\s+/g, '');
		const decoded = [0, 1, 2, 3].map(from => Buffer.from(digits.slice(from), 'base64').toString('latin1'));
		return decoded.some(one => isPlain(one) && holds(one)) ? linesOf(run, index) : [];
	});
}

/** True for a text as programs print it: bytes that are no text hold no encoded value. */
function isPlain(text: string): boolean {
	return !/[^\t\r\n -~]/.test(text.slice(0, -3).replaceAll('\0', ''));
}

function linesOf(run: string, start: number): readonly Range[] {
	return [...run.matchAll(/\S+/g)].map(({0: line, index}) => ({
		start: start + index,
		end: start + index + line.length,
	}));
}

/** Returns ranges of what was read as ranges of the text itself, each on one line. */
function rawRanges(text: string, parts: readonly Part[], ranges: readonly Range[]): readonly Range[] {
	const found: Range[] = [];
	for (const {start, end} of ranges) {
		let line: Range | undefined;
		for (let index = partAt(parts, start); (parts[index]?.at ?? end) < end; index++) {
			const {raw, rawLength, at, length} = parts[index] ?? {raw: 0, rawLength: 0, at: 0, length: 0};
			const isSame = rawLength === length;
			const own = {
				start: raw + (isSame ? Math.max(0, start - at) : 0),
				end: raw + (isSame ? Math.min(length, end - at) : rawLength),
			};
			const isBeside = line && !text.slice(line.end, own.start).includes('\n');
			if (line && !isBeside) {
				found.push(line);
			}

			line = line && isBeside ? joined(line, own) : own;
		}

		found.push(...(line ? [line] : []));
	}

	return found;
}

/** Returns the index of the part with a character. */
function partAt(parts: readonly Part[], at: number): number {
	let [low, high] = [0, parts.length - 1];
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if ((parts[middle]?.at ?? 0) <= at) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}

	return low;
}

/** Masks ranges, those that overlap or touch as one. */
function replaceRanges(text: string, ranges: readonly Range[]): string {
	if (ranges.length === 0) {
		return text;
	}

	const merged: Range[] = [];
	for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
		const last = merged.at(-1);
		if (last && range.start <= last.end) {
			merged[merged.length - 1] = joined(last, range);
		} else {
			merged.push(range);
		}
	}

	const pieces: string[] = [];
	let shown = 0;
	for (const {start, end} of merged) {
		pieces.push(text.slice(shown, start), mask);
		shown = end;
	}

	return pieces.join('') + text.slice(shown);
}
