import {isJsonObject, parseJson} from '../../core/json.ts';
import {looksRandom} from '../../core/secrets/value-mask.ts';
import {isAnyUuid} from '../../core/uuid.ts';

/** A value of a file, and the names that lead to it: sections, keys, and what a list calls the entry. */
type Named = {readonly names: readonly string[]; readonly value: string};

/** A shorter value may be any word of an output, and a longer one isn't a credential. */
const minLength = 8;
const maxLength = 16_384;
/** Letters, digits and signs of a word that is a credential, whatever it is called. */
const minRandom = 20;
const maxDepth = 40;

const secretName =
	/pass(?:w(?:or)?d|phrase|code|wd)?s?(?![a-z])|pwd|secret|token|credential|auth|dsn|private|salt|signing|api[-_.]?key|(?:^|[-_.])key(?![a-z])|[a-z\d]Key$|keys$|cookie|webhook|connection[-_.]?string|^stringdata$/i;
/** Names that end in these say what a value is: nothing to hide. */
const harmlessName =
	/(?:^|[-_./:])(?:ids?|arn|e?tag|lineage|uuid|guid|hash|sha\d*|digest|checksum|fingerprint|version|serial|ur[il]s?|endpoint|host(?:name)?|port|region|zone|email|user(?:name)?|login|path|file(?:name)?|dir|folder|type|kind|algorithm|alg|expir\w*|expires|ttl|issuer|audience|scopes?|public|enabled|disabled|mode|method|header|length|size|count|timeout|name|provider|schema|module|resource|source|integrity|resolved)$|[a-z\d](?:Id|Ids|Arn|Hash|Version|Url|Uri|Host|Port|Path|File|Type|Name|Ttl|Enabled)$|public[-_.]?key/i;
/** A password may be a number, and a word that others would be told to choose. */
const passwordName = /(?:pass(?:w(?:or)?d|phrase|wd)?s?|pwd|secret|pin)$/i;

/** What stands where a value has to be filled in, or names the place of one. */
const placeholder =
	/^(?:\$(?:\{|\(|\w+$)|%\(|\{\{|<.*>$|\[.*\]$|\*+$|[.x-]+$|(?:op|vault|ref|env|file|data|arn|gs|s3):|!|ENC\[|your[-_ ]|my[-_]|change[-_ ]?(?:me|it|this)|replace|insert|enter|todo|fixme|example|sample|dummy|test[-_]?(?:password|secret|token|key)?$|none$|null$|undefined$|true$|false$|default$|localhost|unused)/i;
/** Words that are no secret even as a password: an output is full of them. */
const ordinary = new Set(
	[
		'postgres postgresql password passw0rd production development staging localhost administrator database username',
		'required optional disabled enabled anonymous internal external primary standard certificate credential',
		'credentials authorization authentication bearer basic cluster-admin kubernetes rabbitmq elastic',
		'elasticsearch mongodb mariadb clickhouse redis-server minioadmin guestguest rootroot rootpassword',
	]
		.join(' ')
		.split(' '),
);

/**
 * Returns the secret values in a file whose name suggests secrets: those with a name that does, passwords in URLs, keys in
 * PEM, and words that nobody would make up. Each as it is written and as programs read it. Never throws.
 */
export function valuesInFile(path: string, given: string): readonly string[] {
	if (given.includes('\0')) {
		return [];
	}

	const text = given.replace(/^\uFEFF/, '');
	const json = parseJson(text);
	const isState = /\.tfstate(?:\.|$)/i.test(path);
	const leaves = json === undefined ? namedIn(path, text) : leavesOf(json, [], 0);
	const inner = [...(json === undefined ? [text] : []), ...leaves.map(({value}) => value)];
	const named = [...leaves, ...inner.flatMap(pairsIn)];
	const plain = new Set(named.filter(({names}) => isHarmless(names)).map(({value}) => value.toLowerCase()));
	const values = [
		...named.flatMap(({names, value}) => secretsIn(names, value, isState)),
		...keyLinesIn(text),
		...(json === undefined ? randomWordsIn(text) : []),
	];
	return [...new Set(values)].filter(
		value =>
			value.length >= minLength &&
			value.length <= maxLength &&
			!plain.has(value.toLowerCase()) &&
			!ordinary.has(value.toLowerCase()) &&
			new Set(value).size > 3,
	);
}

function isHarmless(names: readonly string[]): boolean {
	const name = names.at(-1) ?? '';
	return harmlessName.test(name) && !passwordName.test(name);
}

/** Returns what of a value is secret. */
function secretsIn(names: readonly string[], given: string, isState: boolean): readonly string[] {
	const value = given.trim();
	const isSecret = names.some(name => secretName.test(name)) && !isHarmless(names);
	const parts = [...urlSecrets(value), ...(isSecret || !isState ? keyLinesIn(value) : [])];
	if (parts.length > 0 || placeholder.test(value)) {
		return parts;
	}

	const isPassword = passwordName.test(names.at(-1) ?? '');
	if (isSecret && isCredential(value, isPassword)) {
		return [value, ...decoded(value)];
	}

	return isState || isHarmless(names) || isName(value) ? [] : randomWordsIn(value);
}

/** True for a value with a secret name, unless it is only a number, a place, an address or a date. */
function isCredential(value: string, isPassword: boolean): boolean {
	if (looksRandom(value)) {
		return true;
	}

	return (
		(isPassword || !/^[\d.,:+-]+$/.test(value)) &&
		!/^(?:\.{0,2}|~|[A-Za-z]:)[\\/][\w./\\ -]*$/.test(value) &&
		!/^[\w.-]+(?:\.[a-z]{2,}|localhost)(?::\d+)?$/i.test(value) &&
		!/^[\w.+-]+@[\w.-]+$/.test(value) &&
		!/^\d{4}-\d\d-\d\dT?/.test(value) &&
		!/^[a-z][a-z\d+.-]*:\/\//i.test(value)
	);
}

/** True for a UUID and the identifiers of clouds, which name things. */
function isName(value: string): boolean {
	return isAnyUuid(value) || /^(?:[a-z]+-)+[\da-f]+$/.test(value);
}

/** Returns the passwords of URLs, and the words of their paths and queries that nobody would make up. */
function urlSecrets(text: string): readonly string[] {
	return [...text.matchAll(/[a-z][a-z\d+.-]{0,30}:\/\/([^\s"'<>]{1,2000})/gi)].flatMap(([, rest = '']) => {
		const [, info = '', path = ''] = /^(?:([^/?#]*)@)?(.*)$/s.exec(rest) ?? [];
		const [user = '', ...after] = info.split(':');
		const password = after.join(':');
		const words = path.split(/[/?&=#]/).slice(1);
		return [password, ...(password ? [] : randomWordsIn(user)), ...words.flatMap(randomWordsIn)].flatMap(word =>
			placeholder.test(word) ? [] : [word, ...percentDecoded(word)],
		);
	});
}

function percentDecoded(text: string): readonly string[] {
	try {
		return text.includes('%') ? [decodeURIComponent(text)] : [];
	} catch {
		return [];
	}
}

/** Returns what base64 stands for, if that is text: the password in `auth` of a registry, and the data of Kubernetes. */
function decoded(value: string): readonly string[] {
	if (value.length < 12 || value.length % 4 === 1 || !/^[\w+/-]+={0,2}$/.test(value)) {
		return [];
	}

	const text = Buffer.from(value, 'base64').toString();
	return /^[\x20-\x7E\n]{6,}$/.test(text)
		? [
				text.trim(),
				...text
					.split(':')
					.slice(1)
					.map(part => part.trim()),
			]
		: [];
}

/** Returns the lines of base64 of private keys, which a program may print one by one. */
function keyLinesIn(text: string): readonly string[] {
	return [
		...text
			.replaceAll('\\n', '\n')
			.matchAll(/-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:[^-]|-(?!----)){1,20000})/g),
	].flatMap(([, body = '']) => body.match(/[A-Za-z\d+/]{16,}={0,2}/g) ?? []);
}

function randomWordsIn(text: string): readonly string[] {
	return (text.match(/[\w+/.~-]{20,}={0,2}/g) ?? []).flatMap(word => {
		const plain = word.replace(/^[./]+|\.+$/g, '');
		// Of a path or a dotted name, a part may be one.
		return word.length < minRandom || isName(word)
			? []
			: looksRandom(plain) && !plain.includes('://')
				? [plain]
				: plain.split(/[./]/).filter(part => part.length >= minRandom && looksRandom(part) && !isName(part));
	});
}

function leavesOf(value: unknown, names: readonly string[], depth: number): readonly Named[] {
	if (depth > maxDepth) {
		return [];
	}

	if (typeof value === 'string' || typeof value === 'number') {
		return [{names, value: String(value)}];
	}

	if (Array.isArray(value)) {
		return value.flatMap(item => leavesOf(item, names, depth + 1));
	}

	if (!isJsonObject(value)) {
		return [];
	}

	// Lists name an entry beside its value, and Terraform says beside it that it is secret.
	const {name, key, type} = value;
	const called = typeof name === 'string' ? name : typeof key === 'string' ? key : undefined;
	return Object.entries(value).flatMap(([own, item]) => [
		...leavesOf(
			item,
			[
				...names,
				...(own === 'value' && called ? [called] : []),
				...(own === 'instances' && typeof type === 'string' ? [type] : []),
				...(isMarked(value) ? ['secret'] : []),
				own,
			],
			depth + 1,
		),
	]);
}

function isMarked({sensitive}: {readonly sensitive?: unknown}): boolean {
	return sensitive === true;
}

const name = String.raw`(?://[^\s=]{1,300}(?=\s*=)|"[^"\n]{1,200}"|'[^'\n]{1,200}'|[\w$./@:-]{1,200}?)`;
const assignment = new RegExp(
	String.raw`^([ \t]*(?:-[ \t]+)?)(?:(?:export|set|setx|local|declare(?:[ \t]+-\w+)?)[ \t]+)?(${name})[ \t]*(?::=|=>|[=:](?!//))[ \t]*`,
	'my',
);

/**
 * Returns the assignments of a text: `name=value` of environment files, INI, TOML and HCL, `name: value` of YAML and
 * properties, elements of XML. Values in quotes may have several lines, as do blocks of YAML.
 */
function assignmentsIn(text: string): readonly Named[] {
	const found: Named[] = [];
	/** The keys of YAML and the sections around a line, by their indentation. */
	let outer: readonly {readonly indent: number; readonly name: string}[] = [];
	let section = '';
	let called: string | undefined;
	const expression = new RegExp(assignment);
	for (let at = 0; at < text.length; ) {
		const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
		const line = text.slice(at, end);
		const [, header] = /^\s*\[+([^\]\n]{1,200})\]+\s*(?:[#;].*)?$/.exec(line) ?? [];
		const [, block = ''] = /^\s*([\w" .-]{1,200}?)\s*\{\s*$/.exec(line) ?? [];
		expression.lastIndex = at;
		const match = expression.exec(text);
		if (header !== undefined) {
			[section, outer] = [header, []];
		} else if (block) {
			section = block;
		} else if (match && !/^\s*(?:#|;|\/\/[^\w])/.test(line)) {
			const [whole, lead = '', quoted = ''] = match;
			const key = quoted.replace(/^(["'])(.*)\1$/, '$2');
			const indent = lead.length;
			outer = outer.filter(one => one.indent < indent);
			const {forms, next} = valueAt(text, at + whole.length, indent);
			const names = [section, ...outer.map(one => one.name), ...(key === 'value' && called ? [called] : []), key];
			called = key === 'name' || key === 'key' ? forms[0] : called;
			found.push(...forms.map(value => ({names, value})));
			if (forms.length === 0) {
				outer = [...outer, {indent, name: key}];
			}

			at = Math.max(end, next) + 1;
			continue;
		} else {
			found.push(...looseIn(line, [section, ...outer.map(one => one.name)]));
		}

		at = end + 1;
	}

	return found;
}

/** Returns the values of a line without an assignment: the entries of a list, and the elements of XML. */
function looseIn(line: string, names: readonly string[]): readonly Named[] {
	const [, entry] = /^\s*-?\s*["']?([^"',\s][^"'\n]*?)["']?,?\s*$/.exec(line) ?? [];
	return [
		...[...line.matchAll(/<([\w:.-]{1,100})[^<>]*>([^<>\n]{1,4000})<\//g)].map(([, element = '', value = '']) => ({
			names: [...names, element],
			value,
		})),
		...(entry && names.some(Boolean) ? [{names, value: entry}] : []),
	];
}

/** Returns a value as it is written and as it is read, and where it ends. There is none if a block follows. */
function valueAt(text: string, at: number, indent: number): {readonly forms: readonly string[]; readonly next: number} {
	const rest = text.slice(at, at + maxLength);
	const [quoted, quote = '', inner = ''] =
		/^("""|'''|["'`])([\s\S]*?)(?<!\\)\1/.exec(rest) ??
		/^("""|'''|["'`])((?:\\[\s\S]|(?!\1)[\s\S])*)\1/.exec(rest) ??
		[];
	if (quoted !== undefined) {
		const read = quote.startsWith("'") ? inner.replaceAll("''", "'") : escapesRead(inner);
		return {forms: [...new Set([read, inner])].filter(Boolean), next: at + quoted.length};
	}

	const [line = ''] = /^[^\n]*/.exec(rest) ?? [];
	if (/^(?:[|>][\d+-]*\s*(?:#.*)?|<<[-~]?\w+)$/.test(line.trim())) {
		const start = at + line.length + 1;
		const own: string[] = [];
		let next = start;
		while (next < text.length && next - start < maxLength) {
			const end = text.indexOf('\n', next) < 0 ? text.length : text.indexOf('\n', next);
			const each = text.slice(next, end);
			if (each.trim() !== '' && each.search(/\S/) <= indent) {
				break;
			}

			own.push(each.trim());
			next = end + 1;
		}

		return {forms: [own.join('\n'), ...own].filter(Boolean), next: next - 1};
	}

	const bare = line
		.replace(/^(?:!!?\w{1,20}|&[\w-]{1,40})[ \t]+/, '')
		.replace(/\s+[#;].*$/, '')
		.replace(/,\s*$/, '')
		.trim();
	const isFlow = /^[[{]/.test(bare);
	const items = isFlow ? [...bare.matchAll(/["']([^"'\n]{1,4000})["']|([^\s"',:[\]{}]{8,})/g)] : [];
	return {
		forms: isFlow ? items.map(([, one, other]) => one ?? other ?? '') : [bare].filter(Boolean),
		next: at + line.length,
	};
}

function escapesRead(text: string): string {
	return text.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi, (_, unicode?: string, hex?: string, one = '') =>
		unicode || hex
			? String.fromCharCode(Number.parseInt(unicode ?? hex ?? '', 16))
			: (({n: '\n', t: '\t', r: '\r'} as Readonly<Record<string, string>>)[one] ?? one),
	);
}

/** A name and a value on one line, quoted as in a string of JSON or not, with the tag or anchor of YAML before the value. */
const pair =
	/(?<![\w.-])([\w.-]{1,100})\\{0,3}["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}(?:(?:!!?\w{1,20}|&[\w-]{1,40})[ \t]{1,4})?(?:\\{0,3}"([^"\\\n]{1,4000})|'([^'\n]{1,4000})|([^\s"',;{}[\]<>\\]{6,4000}))/g;
/** An element of XML that names a value beside it. */
const attributes =
	/\b(?:key|name)\s{0,4}=\s{0,4}["']([^"'<>\n]{1,200})["']\s{1,10}value\s{0,4}=\s{0,4}["']([^"'<>\n]{1,4000})["']/gi;

const comment = /^[ \t]*(?:#|;|\/\/[^\w\n]).*$/gm;

/** Returns pairs wherever they are: in maps on one line, connection strings, attributes of XML, JSON with comments or in a string. */
function pairsIn(given: string): readonly Named[] {
	const text = given.replace(comment, '');
	return [
		...[...text.matchAll(pair)].map(([, name = '', one, other, bare = '']) => ({
			names: [name],
			value: one ?? other ?? bare,
		})),
		...[...text.matchAll(attributes)].map(([, name = '', value = '']) => ({names: [name], value})),
	];
}

/** Returns the values of a text that isn't JSON. A single word is a token. */
function namedIn(path: string, text: string): readonly Named[] {
	const assigned = assignmentsIn(text);
	const isWord = assigned.length === 0 && /^\S+$/.test(text.trim());
	return [...assigned, ...positionsIn(path, text), ...(isWord ? [{names: ['token'], value: text.trim()}] : [])];
}

/** Returns values whose place says what they are: after the word `password`, or between colons. */
function positionsIn(path: string, text: string): readonly Named[] {
	const words = [...text.matchAll(/(?:^|\s)(password|passwd|token|secret|account)\s+(?![=:])("[^"\n]+"|\S+)/g)].map(
		([, word = '', value = '']) => ({names: [word], value: value.replace(/^"(.*)"$/, '$1')}),
	);
	const fields = /(?:pgpass(?:\.conf)?|htpasswd|shadow)$/i.test(path)
		? text
				.split('\n')
				.filter(line => !line.startsWith('#'))
				.flatMap(line => {
					const last =
						line
							.match(/(?:\\.|[^:\\])+/g)
							?.at(-1)
							?.trim() ?? '';
					return [last, last.replace(/\\(.)/g, '$1')].map(value => ({names: ['password'], value}));
				})
		: [];
	const links = text
		.split('\n')
		.filter(line => line.includes('://'))
		.map(value => ({names: [], value}));
	return [...words, ...fields, ...links];
}
