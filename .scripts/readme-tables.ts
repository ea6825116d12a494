import {commands} from '../commands/index.ts';
import {globalFlagHelp} from '../src/command/global-flags.ts';
import {type FlagHelp, runFlagHelp} from '../src/command/run-flags.ts';
import {allCommands} from '../src/command/table.ts';
import {type Endpoint, scopeOf} from '../src/contract/endpoint.ts';
import {operations} from '../src/contract/operations.ts';
import {pathTemplate} from '../src/contract/path.ts';
import {type ErrorCode, exitStatus} from '../src/core/error.ts';
import {registry} from '../src/providers/registry.ts';
import {attributeRows} from '../src/server/ingest/attributes.ts';

/** Why each package is there, by its name: what would have to be written instead. */
export type Reasons = {
	readonly dependencies: Readonly<Record<string, string>>;
	readonly devDependencies: Readonly<Record<string, string>>;
	/** The program works without them. */
	readonly optionalDependencies: Readonly<Record<string, string>>;
};

const statusMeaning: Readonly<Record<ErrorCode, string>> = {
	failed: 'failed',
	usage: 'the command line was wrong',
	incomplete: 'the answer is not whole: broken off, cut at the token limit, filtered or refused',
	auth: 'not authenticated, or forbidden',
	'not-found': 'not found',
	network: 'the network or the server failed',
	provider: 'the network or the server failed',
	budget: 'the budget or the number of turns is used up',
	conflict: 'it conflicts with something else',
	upgrade: 'a newer version of service is required',
	interrupted: 'interrupted',
};

const variables: readonly (readonly [name: string, meaning: string])[] = [
	['SERVICE_HOME', 'folder of keys, settings and sessions, `~/.service` by default'],
	['SERVICE_PROFILE', 'profile to use'],
	['SERVICE_SERVER', 'server to talk to'],
	['SERVICE_API_KEY', 'API key for that server or profile'],
	['SERVICE_ORG', 'organization to work in'],
	['SERVICE_WORKSPACE', 'workspace to work in'],
	['SERVICE_PROJECT', 'project to work in'],
	['SERVICE_KEYCHAIN', '`off` keeps keys and tokens in the file, not in the keychain'],
	['SERVICE_SEAL_KEY', 'for `serve`: what seals the secrets in its database, instead of `seal.key` in its data folder'],
];

const surroundings: readonly (readonly [name: string, meaning: string])[] = [
	['HTTPS_PROXY', 'proxy for https'],
	['HTTP_PROXY', 'proxy for plain http'],
	['NO_PROXY', 'hosts that are reached without the proxy'],
	['NODE_EXTRA_CA_CERTS', 'file of further certificate authorities'],
	['NO_COLOR', 'any value: no colour'],
	['ACCESSIBLE', 'any value but 0: line by line, for screen readers'],
];

const code = (text: string) => `\`${text}\``;

/** A Markdown table; a pipe in a cell is escaped. */
function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
	return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function exitStatuses(): string {
	const meanings = new Map([[0, 'done']]);
	for (const [name, status] of Object.entries(exitStatus)) {
		meanings.set(status, statusMeaning[name as ErrorCode]);
	}

	return table(
		['status', 'meaning'],
		[...meanings].map(([status, meaning]) => [String(status), meaning]),
	);
}

function environment(): string {
	const keys = Object.values(registry).map(({label, keyVariables, defaultBaseUrl, baseVariable}) => {
		if (keyVariables.length === 0) {
			return [code(baseVariable), `address of ${label}, which needs no key, instead of ${defaultBaseUrl}`] as const;
		}

		const key = `key of ${defaultBaseUrl ? label : 'a host of your own'}${keyVariables.length > 1 ? ' (the first that is set)' : ''}`;
		const address = defaultBaseUrl ? `its address instead of ${defaultBaseUrl}` : 'its address up to `/v1`';
		return [[...keyVariables, baseVariable].map(code).join(', '), `${key}, and ${address}`] as const;
	});
	const plain = (rows: typeof variables) => rows.map(([name, meaning]) => [code(name), meaning] as const);
	return table(['variable', 'meaning'], [...plain(variables), ...keys, ...plain(surroundings)]);
}

function flags(): string {
	const rows = (help: readonly FlagHelp[]) =>
		table(
			['flag', 'what it does'],
			help.map(({usage, summary}) => [code(usage), summary]),
		);
	return `${rows(Object.values(runFlagHelp))}\n\nWith every command:\n\n${rows(globalFlagHelp)}`;
}

function requests(): string {
	const rows = Object.values<Endpoint>(operations).map(row => [
		`${row.summary}${row.deprecated ? ' (deprecated)' : ''}${row.extension ? ' (extension)' : ''}`,
		code(`${row.method} ${pathTemplate(row.path)}`),
		scopeOf(row).join(', '),
		row.auth === 'bearer' ? 'bearer token' : 'API key',
	]);
	return table(['operation', 'request', 'works in', 'credential'], rows);
}

/** Every part of the README that is made from the code, by the name of its markers. */
function sections({dependencies, devDependencies, optionalDependencies}: Reasons): Readonly<Record<string, string>> {
	const reasons = (packages: Readonly<Record<string, string>>) =>
		table(
			['package', 'spares us'],
			Object.entries(packages).map(([name, reason]) => [code(name), reason]),
		);
	return {
		commands: table(
			['command', 'what it does'],
			allCommands(commands).map(({path, command}) => [code(path), command.summary]),
		),
		flags: flags(),
		environment: environment(),
		statuses: exitStatuses(),
		operations: requests(),
		attributes: table(
			['attribute', 'type', 'feeds', 'meaning'],
			attributeRows().map(({key, type, feeds, meaning}) => [code(key), type, feeds, meaning]),
		),
		dependencies: `${reasons(dependencies)}\n\nWhere the platform has it:\n\n${reasons(optionalDependencies)}\n\nFor development alone:\n\n${reasons(devDependencies)}`,
	};
}

/**
 * The README with the text between `<!-- name -->` and `<!-- /name -->` made anew, for each section. Throws where a pair
 * of markers is missing.
 */
export function renderReadme(readme: string, reasons: Reasons): string {
	let text = readme;
	for (const [name, section] of Object.entries(sections(reasons))) {
		const open = `<!-- ${name} -->`;
		const close = `<!-- /${name} -->`;
		const from = text.indexOf(open);
		const to = text.indexOf(close, from);
		if (from < 0 || to < 0) {
			throw new Error(`README.md needs ${open} and ${close}.`);
		}

		text = `${text.slice(0, from + open.length)}\n${section}\n${text.slice(to)}`;
	}

	return text;
}
