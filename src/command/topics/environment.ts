import {settingKeys, settingTable} from '../../config/settings/setting-table.ts';
import {entryOf} from '../../core/entry-of.ts';
import {registry} from '../../providers/registry.ts';
import {code} from './markdown-table.ts';

type Row = readonly [name: string, meaning: string];

/** What variables mean whose values differ from those of their settings. */
const meanings: Readonly<Record<string, string>> = {
	SERVICE_TRACES: '`on`, `content` (with texts) or `off`: decides about traces instead of `/traces`',
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
