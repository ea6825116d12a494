import type {ServerFault} from '../../../agent/mcp/configured-servers.ts';
import type {ServerStatus} from '../../../agent/mcp/servers.ts';
import {tokensOfDefinitions} from '../../../agent/request-usage.ts';
import {entryOf} from '../../../config/mcp/mcp-file.ts';
import type {ErrorReport} from '../../../core/error.ts';
import {formatCount} from '../../../core/format.ts';
import type {Json, JsonObject} from '../../../core/json.ts';
import {shellWord} from '../../../core/shell-word.ts';
import type {Result} from '../../result.ts';
import {serverLines, shown, targetOf} from './server-lines.ts';

/** A tenth of a usual context window. */
const manyTokens = 12_800;

/** Returns the servers with the state of each, its tools, and the tokens that they take. */
export function serverTable(servers: readonly ServerStatus[], faults: readonly ServerFault[]): Result {
	const running = servers.filter(({state}) => state.state === 'ready');
	const total = running.reduce((sum, {tools}) => sum + tokensOfDefinitions(tools), 0);
	return {
		kind: 'table',
		columns: [
			{label: 'server', whole: true},
			{label: 'status'},
			{label: 'tools', align: 'right'},
			{label: 'tokens', align: 'right'},
			{label: 'command or URL', cut: 'middle'},
			{label: 'scope', spare: true},
		],
		rows: servers.map(({configured, state, tools}) => [
			configured.server.name,
			...statusOf({configured, state}).split(': ', 1),
			...(state.state === 'ready' ? [String(tools.length), formatCount(tokensOfDefinitions(tools))] : ['', '']),
			targetOf(configured.server),
			configured.scope,
		]),
		empty: 'No MCP servers. Add one: `mcp add <name> <url>`',
		notes: [
			...(total > 0 ? [`The definitions of their tools take about ${formatCount(total)} tokens.`] : []),
			...(total > manyTokens ? ['If that is over a tenth of the context window, the model searches for them.'] : []),
			...servers.flatMap(reasonNote),
			...servers.flatMap(loginNote),
			...faults.map(({name, path, reason}) => `${name} is not used: ${reason} (${path}).`),
		],
		opens: {words: ['mcp', 'get'], ids: servers.map(({configured}) => configured.server.name)},
		data: {
			servers: servers.map(dataOf),
			faults: faults.map(({name, path, reason}) => ({name, path, reason})),
		},
	};
}

/** Returns one server with its tools. */
export function serverRecord(status: ServerStatus): Extract<Result, {readonly kind: 'group'}> {
	const {configured, state, tools, faults} = status;
	const {server, scope, path} = configured;
	const [, ...more] = serverLines(server);
	const record: Result = {
		kind: 'record',
		title: `MCP server ${server.name}`,
		fields: [
			['status', statusOf(status)],
			...(state.state === 'ready' ? [['version', state.about] as const] : []),
			[server.type === 'http' ? 'url' : 'command', targetOf(server)],
			...more.map(fieldOf),
			['scope', `${scope} (${path})`],
		],
		data: dataOf(status),
	};
	const table: Result = {
		kind: 'table',
		columns: [{label: 'tool', whole: true}, {label: 'tokens', align: 'right'}, {label: 'description'}],
		rows: tools.map(tool => [
			tool.name,
			formatCount(tokensOfDefinitions([tool])),
			tool.description.replace(/^\[.*?\] /, ''),
		]),
		empty: state.state === 'ready' ? 'It has no tools.' : 'Its tools are known once it runs.',
		notes: [...loginNote(status), ...faults],
		data: null,
	};
	return {kind: 'group', parts: [record, table], data: dataOf(status)};
}

/** Returns what a shell ends with for a server that couldn't be started; nothing for one that runs. */
export function failureOf({configured, state}: ServerStatus): {readonly failure?: ErrorReport} {
	const {server} = configured;
	if (state.state !== 'failed' || configured.unused !== undefined) {
		return {};
	}

	return {
		failure: {
			code: state.needsLogin ? 'auth' : server.type === 'http' ? 'network' : 'failed',
			message: `The MCP server ${server.name} is not running: ${state.reason}.`,
			...(state.needsLogin && {hint: `Log in: \`mcp login ${shellWord(server.name)}\``}),
		},
	};
}

/** Returns why a server does not run, in a line of its own: a column of reasons would leave the others no room. */
function reasonNote({configured, state}: ServerStatus): readonly string[] {
	const status = statusOf({configured, state});
	return status.includes(': ')
		? [`${configured.server.name} ${configured.unused === undefined ? '' : 'is '}${status}.`]
		: [];
}

/** Returns the command that logs in to a server that needs it. */
export function loginNote({configured: {server}, state}: ServerStatus): readonly string[] {
	return state.state === 'failed' && state.needsLogin
		? [`Log in to ${server.name}: \`mcp login ${shellWord(server.name)}\``]
		: [];
}

function fieldOf(line: string): readonly [string, string] {
	const [, label = '', value = ''] = /^\s*(\S+) (.*)$/s.exec(line) ?? [];
	return [label, value];
}

/** Returns the state of a server in a few words. Untrusted. */
export function statusOf({configured: {unused}, state}: Pick<ServerStatus, 'configured' | 'state'>): string {
	if (unused !== undefined) {
		return `not used: ${unused}`;
	}

	switch (state.state) {
		case 'stopped':
			return 'not started';
		case 'failed':
			return state.needsLogin ? 'needs login' : `failed: ${state.reason}`;
		default:
			return state.state;
	}
}

function dataOf({configured, state, tools}: ServerStatus): JsonObject {
	const {server, id, scope, path, unused} = configured;
	const masked = (pairs: Readonly<Record<string, string>>): JsonObject =>
		Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, shown(name, value)]));
	return {
		name: server.name,
		id,
		scope,
		path,
		used: unused === undefined,
		reason: unused ?? null,
		...entryOf(server),
		...(server.type === 'http' ? {headers: masked(server.headers)} : {type: 'stdio', env: masked(server.env)}),
		state: state.state,
		error: state.state === 'failed' ? state.reason : null,
		tools: toolData(tools),
	};
}

/** Returns the tools of a server for a program, with the tokens that each takes. */
export function toolData(tools: ServerStatus['tools']): Json {
	return tools.map(tool => ({name: tool.name, tokens: tokensOfDefinitions([tool])}));
}
