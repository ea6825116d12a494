import {type McpFile, readEntries} from '../config/mcp/mcp-file.ts';
import {isJsonObject, type Json} from '../core/json.ts';

/**
 * Reads the MCP servers of a request that opens a session, each for itself: what can't be used is a fault of its server, and the
 * session opens without it. Editors leave the list out, write an empty one as an object, servers by their names, and pairs as an object.
 */
export function readEditorServers(given: unknown): McpFile {
	if (isJsonObject(given)) {
		return readEntries(Object.entries(given).map(([name, server]) => [name, entryOf(server)]));
	}

	const servers: readonly unknown[] = Array.isArray(given) ? given : [];
	return readEntries(servers.map(server => [nameOf(server), entryOf(server)]));
}

function nameOf(server: unknown): string {
	const name = isJsonObject(server) ? server['name'] : undefined;
	return typeof name === 'string' ? name : '';
}

/** Returns a server as our files have it. */
function entryOf(server: unknown): unknown {
	if (!isJsonObject(server)) {
		return server;
	}

	const {name: _, args, env, headers, ...entry} = server;
	return {...entry, args: listIn(args), env: pairsIn(env), headers: pairsIn(headers)};
}

function listIn(given: Json | undefined): Json {
	const isEmpty = isJsonObject(given) && Object.keys(given).length === 0;
	return isEmpty ? [] : (given ?? []);
}

/** Returns an object of pairs, which the protocol has as a list of objects with a name and a value. */
function pairsIn(given: Json | undefined): Json {
	return Array.isArray(given)
		? Object.fromEntries(given.map(pair => (isJsonObject(pair) ? [pair['name'], pair['value'] ?? null] : ['', null])))
		: (given ?? {});
}
