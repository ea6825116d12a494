import {mask} from './secret.ts';

/** What credentials of well-known kinds begin with, each followed by enough of what cannot be a word. */
const known = new RegExp(
	[
		String.raw`\bsv[acdrs]_[\w-]{20,}`,
		String.raw`\bsk-[\w-]{16,}`,
		String.raw`\b[sr]k_(?:live|test)_\w{10,}`,
		String.raw`\bgh[oprsu]_\w{20,}`,
		String.raw`\bgithub_pat_\w{20,}`,
		String.raw`\bglpat-[\w-]{16,}`,
		String.raw`\bgsk_\w{20,}`,
		String.raw`\bhf_[A-Za-z]{20,}`,
		String.raw`\bnpm_\w{30,}`,
		String.raw`\bxox[abeoprs]-[\w-]{10,}`,
		String.raw`\bA(?:KIA|SIA)[A-Z0-9]{16}\b`,
		String.raw`\bAIza[\w-]{30,}`,
		// A JSON Web Token (RFC 7519): its header is a JSON object in base64url.
		String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
	].join('|'),
	'g',
);

/** A scheme of HTTP authentication with what follows it (RFC 9110, 11.6.2). */
const scheme = /\b(bearer|basic)(\s{1,3})[\w.~+/=-]{8,}/gi;

/** The password in an address (RFC 3986, 3.2.1). */
const userInfo = /(:\/\/[^\s/:@?#]{0,200}:)[^\s/@]{1,500}@/g;

const names = String.raw`passw(?:or)?d|passphrase|secret(?:[-_]\w{1,30})?|token|api[-_]?key|access[-_]?key|private[-_]?key|signing[-_]?key|authorization|cookie`;
/** A value beside such a name, as `name=value`, `name: value` and in JSON, also inside a string of JSON. */
const named = new RegExp(
	String.raw`(${names})(\\?["']?\s{0,3}[=:]\s{0,3})(\\?"[^"\n]{1,4000}?\\?"|'[^'\n]{1,4000}'|[^\s"',;&\\]{6,})`,
	'gi',
);

/**
 * Hides what looks like a credential. It goes by looks, so that it finds the usual ones, not every one; better a word too
 * many is hidden than one too few. Linear in the length of the text, whatever is in it.
 */
export function redact(text: string): string {
	return text
		.replace(userInfo, `$1${mask}@`)
		.replace(scheme, `$1$2${mask}`)
		.replace(known, mask)
		.replace(named, (_, name: string, between: string, value: string) => {
			const [quote = ''] = /^\\?["']/.exec(value) ?? [];
			return `${name}${between}${quote}${mask}${quote}`;
		});
}

const keyStart = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
/** A line of base64, whatever stands before it in a log. */
const keyLine = /(?:^|\s)[A-Za-z0-9+/]{16,}={0,2}\s*$/;

/** As `redact` for lines in order: a private key in PEM is hidden to its end. */
export function redactLines(lines: readonly string[]): readonly string[] {
	let isInKey = false;
	return lines.map(line => {
		if (isInKey && keyLine.test(line)) {
			return mask;
		}

		isInKey = keyStart.test(line);
		return redact(line);
	});
}
