import {entryOf} from '../../core/entry-of.ts';
import type {Config} from '../config.ts';
import {type ConfigData, type McpLogin, without} from '../config-data.ts';
import type {OnFault} from '../vault.ts';

/** Returns the login to the MCP server with exactly this URL. */
export function mcpLoginOf({mcpLogins = {}}: ConfigData, url: string): McpLogin | undefined {
	return entryOf(mcpLogins, url);
}

/** Saves a login. Returns it as it is stored. Throws what `Config.update` throws. */
export async function saveMcpLogin(
	{update}: Pick<Config, 'update'>,
	login: McpLogin,
	onFault?: OnFault,
): Promise<McpLogin> {
	const data = await update(before => ({...before, mcpLogins: {...before.mcpLogins, [login.url]: login}}), onFault);
	return mcpLoginOf(data, login.url) ?? login;
}

/** Removes a login. Returns false if there is none. Throws what `Config.update` throws. */
export async function removeMcpLogin({update}: Pick<Config, 'update'>, url: string): Promise<boolean> {
	let isThere = false;
	await update(before => {
		isThere = mcpLoginOf(before, url) !== undefined;
		return isThere ? {...before, mcpLogins: without(before.mcpLogins ?? {}, url)} : before;
	});
	return isThere;
}
