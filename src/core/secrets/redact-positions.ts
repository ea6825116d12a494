import {mask} from './secret.ts';

const name =
	'(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|signing[-_]?key|authorization|cookie)';
/** A value as it is written in a shell. One that a variable or a substitution fills in holds no credential itself. */
const literal = String.raw`("[^"$${'`'}\n]{1,4000}"|'[^'\n]{1,4000}'|[^\s"'$${'`'};&|<>()]{4,4000})`;

/** What comes before a credential in a command or a request, and the credential. Each expression is bounded. */
const positions: readonly RegExp[] = [
	// PGPASSWORD=…, export API_TOKEN="…", and the parameters of a URL.
	new RegExp(String.raw`(\b\w{0,60}${name}\w{0,20}=)${literal}`, 'gi'),
	// --token …, --db-password=…
	new RegExp(String.raw`(--[\w-]{0,60}${name}(?:=|\s{1,3}))(?!-)${literal}`, 'gi'),
	// curl -u name:password, but not the ids of `docker run -u 1000:1000`.
	/((?:\s-u|\s--user)[\s=]{0,3}["']?[^\s:"'$]{1,100}:)(?!\d{1,10}(?:\s|$))([^\s"'$]{1,500})/g,
	// The password in a URL (RFC 3986, 3.2.1).
	/(:\/\/[^\s/:@?#]{0,200}:)([^\s/@$]{1,500})(?=@)/g,
	// curl -H "X-Api-Key: …"
	new RegExp(
		String.raw`((?:-H|--header)[\s=]{0,3}["']?[\w-]{0,60}${name}[\w-]{0,20}:\s{0,3})(?=\S)([^"'$\n]{4,4000})(?=["'\n]|$)`,
		'gi',
	),
	// A scheme of HTTP authentication and its credential (RFC 9110, 11.6.2). Words of prose have no digit.
	/(\b(?:bearer|basic)\s{1,3})(?=[\w.~+/-]{0,200}\d)([\w.~+/=-]{8,4000})/gi,
];

/**
 * Hides what the place in a command line, a URL or a header shows to be a credential, whatever it looks like. Variables,
 * names and all other words stay. Linear in the length of any line.
 */
export function redactPositions(text: string): string {
	return positions.reduce(
		(shown, position) =>
			shown.replace(position, (_, before: string, value: string) => {
				const [quote = ''] = /^["']/.exec(value) ?? [];
				return `${before}${quote}${mask}${quote}`;
			}),
		text,
	);
}

/** True for the name of a header, a field or an argument whose value is a credential. */
export function isSecretName(text: string): boolean {
	return secretName.test(text);
}

const secretName = new RegExp(`^(?:[\\w-]{0,60}[-_])?${name}$`, 'i');

/** A parameter of a query (RFC 3986, 3.4), with its sign. */
const parameter = /([?&])([^?&=#\s]{1,200})(?:=([^&#\s]{0,4000}))?/g;

/**
 * Returns a URL as it may be shown: some hosts take a key in the query, so that each value there is hidden, and so is a
 * password. Versions stay, and so do variables such as `${KEY}`.
 */
export function shownUrl(url: string): string {
	return redactPositions(url).replace(parameter, (all, sign: string, name: string, value?: string) => {
		const isHarmless = value === '' || /version$/i.test(name) || value?.startsWith('${');
		return isHarmless ? all : value === undefined ? sign + mask : `${sign}${name}=${mask}`;
	});
}
