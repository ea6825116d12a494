import {entryOf} from '../../core/entry-of.ts';
import type {Config} from '../config.ts';
import {type ConfigData, type McpLogin, without} from '../config-data.ts';
import type {OnFault} from '../vault.ts';

/** Most scopes that are remembered: a server may ask for other ones each time. */
const maxWanted = 20;

/** Returns the login to the MCP server with exactly this URL. */
export function mcpLoginOf({mcpLogins = {}}: ConfigData, url: string): McpLogin | undefined {
	return entryOf(mcpLogins, url);
}

/** Saves a login. Returns it as it is stored. Throws what `Config.update` throws. */
export async function saveMcpLogin({update}: Config, login: McpLogin, onFault?: OnFault): Promise<McpLogin> {
	const data = await update(before => ({...before, mcpLogins: {...before.mcpLogins, [login.url]: login}}), onFault);
	return mcpLoginOf(data, login.url) ?? login;
}

/** Remembers scopes that a server asked for, so that the next login asks for them, too. Throws what `Config.update` throws. */
export async function wantScopes({read, update}: Config, url: string, scopes: readonly string[]): Promise<void> {
	const wanted = ({wantedScope = ''}: McpLogin) => wantedScope.split(' ').filter(Boolean);
	const before = mcpLoginOf(read(), url);
	if (!before || scopes.every(scope => wanted(before).includes(scope))) {
		return;
	}

	await update(data => {
		const login = mcpLoginOf(data, url);
		const wantedScope = login && [...new Set([...scopes, ...wanted(login)])].slice(0, maxWanted).join(' ');
		return login ? {...data, mcpLogins: {...data.mcpLogins, [url]: {...login, wantedScope}}} : data;
	});
}

/** Forgets them again: with them, no login succeeds. Throws what `Config.update` throws. */
export async function forgetWantedScopes({update}: Config, url: string): Promise<void> {
	await update(data => {
		const login = mcpLoginOf(data, url);
		return login ? {...data, mcpLogins: {...data.mcpLogins, [url]: {...login, wantedScope: undefined}}} : data;
	});
}

/** Removes a login. Returns false if there is none. Throws what `Config.update` throws. */
export async function removeMcpLogin({update}: Config, url: string): Promise<boolean> {
	let isThere = false;
	await update(before => {
		isThere = mcpLoginOf(before, url) !== undefined;
		return isThere ? {...before, mcpLogins: without(before.mcpLogins ?? {}, url)} : before;
	});
	return isThere;
}
