import {mask} from './secret.ts';
import {hasKnownSecret, looseSecretKinds, replaceKnownSecrets} from './secret-kinds.ts';

/** A sequence that sets colours (ECMA-48, 8.3.117). What draws it leaves the text on both sides side by side. */
const colorSequence = '\\x1B\\[[0-9;:]*m';
const colorSequences = new RegExp(colorSequence, 'g');

// The expressions are bounded, since an open end runs the engine out of stack on a line of many megabytes. No
// credential is that long.

/** A scheme of HTTP authentication and its credential (RFC 9110, 11.6.2). */
const scheme = /\b(bearer|basic)(\s{1,3})[\w.~+/=-]{8,65536}/gi;

/** The password in a URL (RFC 3986, 3.2.1). */
const userInfo = /(:\/\/[^\s/:@?#]{0,200}:)[^\s/@]{1,500}@/g;

const names = String.raw`passw(?:or)?d|passphrase|secret(?:[-_]\w{1,30})?|token|api[-_]?key|access[-_]?key|private[-_]?key|signing[-_]?key|authorization|cookie`;
/** A value with a secret name, as `name=value`, `name: value` and in JSON, also inside a string of JSON. */
const named = new RegExp(
	String.raw`(${names})(\\?["']?\s{0,3}[=:]\s{0,3})(\\?"[^"\n]{1,4000}?\\?"|'[^'\n]{1,4000}'|[^\s"',;&\\]{6,65536})`,
	'gi',
);

/** The beginning of a private key in PEM (RFC 7468) or of PGP (RFC 9580), with the rest of its line. */
const keyOnLine = /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)((?:[A-Za-z0-9+/=\\\s:,.]|-(?!-)){1,65536})/g;

/**
 * Hides credentials of known kinds and private keys. For files and for what users type, where other words must stay.
 * Returns `text` itself if there are none. Linear in its length for any text. Finds those with colours inside, too.
 */
export function redactKnown(text: string): string {
	return hasRedactable(text) ? eachLine(text, hideKnownAcross) : text;
}

/** True if `redactKnown` would hide part of the text. One test is far cheaper than checking every line. */
export function hasRedactable(text: string): boolean {
	const plain = withoutColors(text);
	return isRedactable(text) || (plain !== text && isRedactable(plain));
}

function isRedactable(text: string): boolean {
	return hasKnownSecret(text) || keyStart.test(text) || keyEnd.test(text);
}

/** Does the same as `redactKnown` for lines in order. */
export function redactKnownLines(lines: readonly string[]): readonly string[] {
	return hasRedactable(lines.join('\n')) ? hideKnownAcross(lines) : lines;
}

function hideKnownAcross(lines: readonly string[]): readonly string[] {
	return hideAcross(lines, all => withoutKeys(all, hideKnown));
}

/**
 * Expressions without look-around, as ripgrep reads them: at least one matches in every file in which `redactKnown`
 * hides something, and in others too.
 */
export const redactedSomewhere: readonly string[] = [
	...looseSecretKinds,
	colorSequence,
	'-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----',
];

/**
 * Hides what looks like a credential, by its name or position too. A heuristic: it finds the usual ones, and rather
 * hides a word too many. Linear in the length of any text.
 */
export function redact(text: string): string {
	return eachLine(text, redactLines);
}

/** Does the same as `redact` for lines in order. */
export function redactLines(lines: readonly string[]): readonly string[] {
	return hideAcross(lines, all => withoutKeys(all, hideAll));
}

/**
 * Returns lines after `hide`, which hides credentials in them, also in those with colours inside or before them: a line of
 * which it would hide less with its colours loses them.
 */
export function hideAcross(
	lines: readonly string[],
	hide: (lines: readonly string[]) => readonly string[],
): readonly string[] {
	const hidden = hide(lines);
	if (!lines.some(line => line.includes('\u001B'))) {
		return hidden;
	}

	const plain = lines.map(withoutColors);
	return hide(plain).map((safe, index) => {
		const shown = hidden[index] ?? '';
		return safe === plain[index] || safe === withoutColors(shown) ? shown : safe;
	});
}

function withoutColors(text: string): string {
	return text.includes('\u001B') ? text.replace(colorSequences, '') : text;
}

/** Hiding a named value can leave the rest of a password in a URL, and vice versa. */
const mostPasses = 8;

function hideAll(line: string): string {
	let shown = line;
	for (let pass = 0; pass < mostPasses; pass++) {
		const before = shown;
		shown = hideOnce(before);
		if (shown === before) {
			break;
		}
	}

	return shown;
}

function hideOnce(line: string): string {
	const known = hideKnown(line.replace(userInfo, `$1${mask}@`).replace(scheme, `$1$2${mask}`));
	return known.replace(named, (_, name: string, between: string, value: string) => {
		const [quote = ''] = /^\\?["']/.exec(value) ?? [];
		return `${name}${between}${quote}${mask}${quote}`;
	});
}

function eachLine(text: string, hide: (lines: readonly string[]) => readonly string[]): string {
	return text && hide(text.split('\n')).join('\n');
}

function hideKnown(line: string): string {
	return replaceKnownSecrets(line, mask).replace(keyOnLine, `$1${mask}`);
}

const keyStart = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
/** A line of base64, after any prefix of a log. */
const keyLine = /(?:^|\s)[A-Za-z0-9+/]{16,}={0,2}\s*$/;
/** The last line of a key, or the checksum of PGP, which may be short: nothing else is on it. */
const shortKeyLine = /^\s*[A-Za-z0-9+/=]{1,15}\s*$/;
/** Headers between the beginning and the base64 of some keys. */
const keyHead = /^\s*$|^\s*[A-Za-z-]{1,40}: /;

/** Hides the lines of a private key from its beginning, and up to its end if the beginning was cut off. */
function withoutKeys(lines: readonly string[], hide: (line: string) => string): readonly string[] {
	if (!lines.some(line => keyStart.test(line) || keyEnd.test(line))) {
		return lines.map(hide);
	}

	const ahead = insideKeys(lines, keyStart, keyEnd);
	const back = insideKeys(lines.toReversed(), keyEnd, keyStart).toReversed();
	return lines.map((line, index) => (ahead[index] || back[index] ? mask : hide(line)));
}

/** Returns for each line whether it is inside a key: after an `edge` with no `other` on the same line. */
function insideKeys(lines: readonly string[], edge: RegExp, other: RegExp): readonly boolean[] {
	let isInKey = false;
	let isBeside = false;
	return lines.map(line => {
		const isEdge = edge.test(line);
		isInKey = isEdge ? !other.test(line) : isInKey;
		const isOfKey = isInKey && !isEdge && (keyLine.test(line) || (isBeside && shortKeyLine.test(line)));
		isInKey &&= isEdge || isOfKey || keyHead.test(line);
		// A short line belongs to the key only if it touches the rest of it.
		isBeside = isInKey && (isEdge || isOfKey);
		return isOfKey;
	});
}
