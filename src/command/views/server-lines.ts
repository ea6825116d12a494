import {networkInterfaces} from 'node:os';
import {formatAmount, formatDuration} from '../../core/format.ts';
import {isLoopback} from '../../core/origin.ts';
import {shellLine} from '../../core/program-name.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {Initialized} from '../../server/accounts/initialize.ts';
import type {Served} from '../../server/run/serve.ts';

/** Returns the JSON of a new organization. */
export function recordOf({apiKey, organization, workspace, project, userId}: Initialized) {
	return {api_key: apiKey.reveal(), org: organization, workspace, project, user_id: userId};
}

/** Returns the same as named values. */
export function fieldsOf(made: Initialized): ReadonlyArray<readonly [string, string]> {
	return Object.entries(recordOf(made)).map(([name, value]) => [name.replace('_', ' '), value]);
}

/** Most addresses of the machine that are shown. */
const maxAddresses = 3;

/** Returns the command to log in. It saves the scope, so that commands need no flags. Plain http needs consent (SAFETY 9). */
function loginLine(url: string, made: Initialized | undefined): string {
	const {protocol} = new URL(url);
	const consent = protocol === 'http:' && !isLoopback(new URL(url)) ? ' --insecure-http' : '';
	const scope = made ? ` --org ${made.organization} --workspace ${made.workspace} --project ${made.project}` : '';
	return shellLine(`login --server ${url}${consent}${scope}`);
}

/** Returns the commands to log in: for a server that listens on every address, the one of this machine comes first. */
function loginFields(at: string, made: Initialized | undefined): ReadonlyArray<readonly [string, string]> {
	const {hostname, port} = new URL(at);
	if (hostname !== '0.0.0.0' && hostname !== '[::]') {
		return [['log in', loginLine(at, made)]];
	}

	const hosts = Object.values(networkInterfaces())
		.flatMap(list => list ?? [])
		.filter(
			({internal, scopeid = 0, family}) => !internal && scopeid === 0 && (family === 'IPv4' || hostname === '[::]'),
		)
		.toSorted((one, other) => one.family.localeCompare(other.family))
		.map(({address, family}) => (family === 'IPv6' ? `[${address}]` : address));
	return [
		['log in', loginLine(`http://127.0.0.1:${port}`, made)],
		...hosts.slice(0, maxAddresses).map(host => ['elsewhere', loginLine(`http://${host}:${port}`, made)] as const),
	];
}

/** Returns the facts of a listening server; `at` is its URL for clients. */
export function servedFields(
	{folder, engine, sandboxes, metricsUrl, isEmpty, demo}: Omit<Served, 'ended'>,
	at: string,
): ReadonlyArray<readonly [string, string]> {
	return [
		['data', engine === 'sqlite' ? `${folder} (SQLite)` : `PostgreSQL; files in ${folder}`],
		['sandboxes', sandboxes],
		...(metricsUrl === undefined ? [] : ([['metrics', metricsUrl]] as const)),
		...(demo ? fieldsOf(demo) : []),
		...loginFields(at, demo),
		...(isEmpty ? ([['first', `No users yet. Create one: ${shellLine('serve init')}`]] as const) : []),
		['stop', 'Ctrl+C'],
	];
}

/** Returns what is shown while a server still answers although it stops. */
export function draining(drainMs: number): string {
	return `Draining for ${formatDuration(drainMs)}: load balancers can leave. Press Ctrl+C again to stop now.`;
}

/** Returns what is shown while a server that stops finishes requests. */
export function finishing(requests: number): string {
	return `Finishing ${formatAmount(requests, 'request')}. Press Ctrl+C again to stop now.`;
}

/** Prints how many sandboxes keep running after the server stopped. */
export function sayWhatRuns(say: (text: string) => void, sandboxes: number): void {
	if (sandboxes > 0) {
		const [them, keep] = sandboxes === 1 ? ['1 sandbox', 'keeps'] : [`${sandboxes} sandboxes`, 'keep'];
		const commands = ['env list', 'env stop <id>', 'runtime list', 'runtime stop <key>'].map(shellLine).join(' · ');
		say(`${them} ${keep} running. To stop one, start the server again, then: ${commands}`);
	}
}

type Place = {readonly data?: string | undefined; readonly database?: string | undefined};

/** Returns the flags that select the same data. A database URL may contain a password, so it isn't repeated. */
export function placeFlags({data, database}: Place): string {
	const folder = data === undefined ? '' : ` --data ${shellWord(data)}`;
	return `${folder}${database === undefined ? '' : ' --database <url>'}`;
}
