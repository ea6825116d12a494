import reasons from '../../../.scripts/dependencies.json' with {type: 'json'};
import {settingKeys, settingTable} from '../../config/settings/setting-table.ts';
import {allowedValues, shownSetting} from '../../config/settings/setting-value.ts';
import {type Endpoint, scopeOf} from '../../contract/endpoint.ts';
import {operations} from '../../contract/extensions.ts';
import {pathTemplate} from '../../contract/path.ts';
import {entryOf} from '../../core/entry-of.ts';
import {type ErrorCode, exitStatus} from '../../core/error.ts';
import {contexts} from '../../editor/keymap/contexts.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {OwnKeys} from '../../editor/keymap/keymap.ts';
import {registry} from '../../providers/registry.ts';
import {attributeRows} from '../../server/ingest/attributes.ts';
import {knownTerminals, type NoticeWay} from '../../terminal/terminal-kind.ts';
import {fixedKeys, type KeyRow, keyRows} from '../keymap/key-list.ts';

/** Returns text as code of Markdown. */
export const code = (text: string): string => `\`${text}\``;

/** Returns a table of Markdown; a pipe in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
	return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

type Row = readonly [name: string, meaning: string];

/** What variables mean whose values differ from those of their settings. */
const meanings: Readonly<Record<string, string>> = {
	SERVICE_TRACES: '`on`, `content` (with texts) or `off`: decides about traces instead of `/trace on`',
	SERVICE_KEYCHAIN: '`off` keeps keys and tokens in the file, not in the keychain',
	SERVICE_DEBUG: 'file to append a JSON line to for each request, event and frame: sizes and times, no content',
	PAGER: 'program that shows long help pages, `less -FRX` by default; `cat` for none',
	NO_COLOR: 'any value: no colour',
	ACCESSIBLE: 'any value but 0: line by line, for screen readers',
};

/** The variables of settings, from their table. */
const ofSettings = settingKeys.flatMap((key): readonly Row[] => {
	const {variable, summary} = settingTable[key];
	const plain = summary.charAt(0).toLowerCase() + summary.slice(1);
	return variable ? [[variable.name, entryOf(meanings, variable.name) ?? plain]] : [];
});
const isOwn = ([name]: Row) => name.startsWith('SERVICE_');

const own: readonly Row[] = [
	['SERVICE_HOME', 'folder for keys, settings and sessions, `~/.service` by default'],
	['SERVICE_API_KEY', 'API key for that server or profile'],
	[
		'SERVICE_SEAL_KEY',
		'for `serve`: key that encrypts secrets in its database, instead of `seal.key` in the data folder',
	],
];

const usual: readonly Row[] = [
	['HTTPS_PROXY', 'http or https proxy for https; all four also in lower case, which wins'],
	['HTTP_PROXY', 'proxy for plain http, which it reads'],
	['ALL_PROXY', 'proxy for both'],
	[
		'NO_PROXY',
		'hosts to reach without the proxy: names with all below them, addresses, networks (`10.0.0.0/8`), each with a port or without; `*` for all',
	],
	['NODE_EXTRA_CA_CERTS', 'file of additional certificate authorities'],
	['CURL_CA_BUNDLE', 'the same'],
	['SSL_CERT_FILE', 'the same'],
	['SSL_CERT_DIR', 'folders of such files, parted by `:`'],
	[
		'OTEL_EXPORTER_OTLP_ENDPOINT',
		'OTLP/HTTP endpoint that traces go to instead of the server; `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` has the whole URL',
	],
	['OTEL_EXPORTER_OTLP_HEADERS', 'headers for that endpoint, as `name=value,name=value`'],
];

/** Returns every environment variable that the program reads, as cells of Markdown. */
export function environmentRows(): readonly Row[] {
	const keys = Object.values(registry).map(({label, keyVariables, defaultBaseUrl, baseVariable}): Row => {
		if (keyVariables.length === 0) {
			return [code(baseVariable), `base URL of ${label} (no key needed) instead of ${defaultBaseUrl}`];
		}

		const key = `API key for ${defaultBaseUrl ? label : 'a host of your own'}${keyVariables.length > 1 ? ' (the first one set)' : ''}`;
		const address = defaultBaseUrl ? `its base URL instead of ${defaultBaseUrl}` : 'its base URL up to `/v1`';
		return [[...keyVariables, baseVariable].map(code).join(', '), `${key}, and ${address}`];
	});
	const named = (rows: readonly Row[]) => rows.map(([name, meaning]): Row => [code(name), meaning]);
	return [
		...named([...own, ...ofSettings.filter(isOwn)]),
		...keys,
		...named([...usual, ...ofSettings.filter(row => !isOwn(row))]),
	];
}

const statusMeaning: Readonly<Record<ErrorCode, string>> = {
	failed: 'failed',
	usage: 'invalid command line',
	incomplete: 'the answer is incomplete: broken off, cut at the token limit, filtered or refused',
	auth: 'not authenticated, or forbidden',
	'not-found': 'not found',
	network: 'the network or the server failed',
	provider: 'the network or the server failed',
	budget: 'the budget or the number of turns is used up',
	conflict: 'it conflicts with the current state',
	upgrade: 'a newer version of service is required',
	interrupted: 'interrupted',
};

function statuses(): string {
	const meanings = new Map([[0, 'done']]);
	for (const [name, status] of Object.entries(exitStatus)) {
		meanings.set(status, statusMeaning[name as ErrorCode]);
	}

	return markdownTable(
		['status', 'meaning'],
		[...meanings].map(([status, meaning]) => [String(status), meaning]),
	);
}

function requests(): string {
	const rows = Object.values<Endpoint>(operations).map(row => [
		`${row.summary}${row.deprecated ? ' (deprecated)' : ''}${row.extension ? ' (extension)' : ''}`,
		code(`${row.method} ${pathTemplate(row.path)}`),
		scopeOf(row).join(', '),
		row.auth === 'bearer' ? 'bearer token' : 'API key',
	]);
	return markdownTable(['operation', 'request', 'works in', 'credential'], rows);
}

function dependencies(): string {
	const table = (packages: Readonly<Record<string, string>>) =>
		markdownTable(
			['package', 'is for'],
			Object.entries(packages).map(([name, reason]) => [code(name), reason]),
		);
	return [
		table(reasons.dependencies),
		'Optional, if the operating system supports it:',
		table(reasons.optionalDependencies),
		'For development only:',
		table(reasons.devDependencies),
	].join('\n\n');
}

function settings(): string {
	const rows = settingKeys.map(key => {
		const {summary, default: fallback, flag, variable, place} = settingTable[key];
		const sources = [flag, variable?.name, place === 'environment' ? undefined : place];
		return [
			code(key),
			summary,
			allowedValues(key),
			shownSetting(key, fallback),
			sources.flatMap(each => (each ? code(each) : [])).join(', '),
		];
	});
	return markdownTable(['setting', 'meaning', 'allowed', 'default', 'set by'], rows);
}

const noticeWords: Readonly<Record<NoticeWay, string>> = {
	'osc-9': 'OSC 9',
	'osc-99': 'OSC 99',
	'osc-777': 'OSC 777',
	bell: 'bell',
};

function terminals(): string {
	const kinds = knownTerminals.map(({name, notice, rings, progress, status}) => [
		name,
		rings ? `${noticeWords[notice]} and bell` : noticeWords[notice],
		progress ? 'yes' : 'no',
		status ? 'yes' : 'no',
	]);
	return markdownTable(['terminal', 'notification', 'progress', 'status'], [...kinds, ['others', 'bell', 'no', 'no']]);
}

/** Returns a table of the keys in effect for each place of the app. */
function keys(ownKeys: OwnKeys): string {
	const rows = keyRows(ownKeys);
	const cells = ({keys: own, action, isOwn, summary}: KeyRow) => [
		`${own.map(keyLabel).join(', ') || 'none'}${isOwn ? ' (yours)' : ''}`,
		summary,
		code(action),
	];
	return contexts
		.map(({title}) => {
			const here = rows.filter(row => row.title === title);
			return `### ${title}\n\n${markdownTable(['key', 'what it does', 'action'], here.map(cells))}`;
		})
		.join('\n\n');
}

/** Returns the tables that pages are completed with, by the name of their marker. */
export function topicTables(ownKeys: OwnKeys): Readonly<Record<string, string>> {
	return {
		environment: markdownTable(['variable', 'meaning'], environmentRows()),
		settings: settings(),
		statuses: statuses(),
		operations: requests(),
		attributes: markdownTable(
			['attribute', 'type', 'feeds', 'meaning'],
			attributeRows().map(({key, type, feeds, meaning}) => [code(key), type, feeds, meaning]),
		),
		dependencies: dependencies(),
		terminals: terminals(),
		fixed: markdownTable(
			['key', 'what it does'],
			fixedKeys.map(({key, summary}) => [/^\W/.test(key) ? code(key) : key, summary]),
		),
		keys: keys(ownKeys),
	};
}
