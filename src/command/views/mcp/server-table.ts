import type {ConfiguredServer, ServerFault} from '../../../agent/mcp/configured-servers.ts';
import {entryOf} from '../../../config/mcp/mcp-file.ts';
import type {Json, JsonObject} from '../../../core/json.ts';
import type {Result} from '../../result.ts';
import {serverLines, shown, targetOf} from './server-lines.ts';

/** Returns the servers with what each is, and whether it is used. */
export function serverTable(servers: readonly ConfiguredServer[], faults: readonly ServerFault[]): Result {
	return {
		kind: 'table',
		columns: [{label: 'server', whole: true}, {label: 'scope'}, {label: 'status'}, {label: 'command or URL'}],
		rows: servers.map(each => [each.server.name, each.scope, statusOf(each), targetOf(each.server)]),
		empty: 'No MCP servers. Add one: `mcp add <name> <url>`',
		notes: faults.map(({name, path, reason}) => `${name} is not used: ${reason} (${path}).`),
		opens: {words: ['mcp', 'get'], ids: servers.map(({server}) => server.name)},
		data: {
			servers: servers.map(dataOf),
			faults: faults.map(({name, path, reason}) => ({name, path, reason})),
		},
	};
}

/** Returns one server. */
export function serverRecord(configured: ConfiguredServer): Result {
	const {server, scope, path} = configured;
	const [, ...more] = serverLines(server);
	return {
		kind: 'record',
		title: `MCP server ${server.name}`,
		fields: [
			['status', statusOf(configured)],
			[server.type === 'http' ? 'url' : 'command', targetOf(server)],
			...more.map(line => fieldOf(line)),
			['scope', `${scope} (${path})`],
		],
		data: dataOf(configured),
	};
}

function fieldOf(line: string): readonly [string, string] {
	const [, label = '', value = ''] = /^\s*(\S+) (.*)$/s.exec(line) ?? [];
	return [label, value];
}

function statusOf({unused}: ConfiguredServer): string {
	return unused === undefined ? 'used' : `not used: ${unused}`;
}

function dataOf(configured: ConfiguredServer): Json {
	const {server, id, scope, path, unused} = configured;
	const entry = entryOf(server);
	const masked = (pairs: Readonly<Record<string, string>>): JsonObject =>
		Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, shown(name, value)]));
	return {
		...{name: server.name, id, scope, path, used: unused === undefined, reason: unused ?? null},
		...entry,
		...(server.type === 'http' ? {headers: masked(server.headers)} : {type: 'stdio', env: masked(server.env)}),
	};
}
