import {type ConfiguredServer, expanded} from '../agent/mcp/configured-servers.ts';
import {readEnvFile} from '../agent/mcp/env-file.ts';
import type {LoginOptions} from '../agent/mcp/oauth/log-in.ts';
import {forgetWantedScopes, mcpLoginOf, removeMcpLogin, saveMcpLogin} from '../config/mcp/mcp-logins.ts';
import {storedWhere} from '../config/stored-where.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** Logs the user in to an MCP server, and saves the login. */
export async function logIn(
	configured: ConfiguredServer,
	options: Omit<LoginOptions, 'server'>,
	{env, version}: ProgramOptions,
	local: LocalState,
): Promise<string | undefined> {
	const {config, secrets} = local;
	const server = await urlOf(configured, env, local);
	const before = mcpLoginOf(config.read(), server.href);
	const {clientId = before?.isOwnClient ? before.clientId : undefined} = options;
	// A login again must not lose what the one before it was granted.
	const scopes = [before?.scope, before?.wantedScope].filter(each => each !== undefined);
	const [{logInToServer}, {createOAuthFetch}] = await Promise.all([
		import('../agent/mcp/oauth/log-in.ts'),
		import('../agent/mcp/oauth/oauth-fetch.ts'),
	]);
	const {fetch, close} = createOAuthFetch({server, env, version, signal: options.signal});
	try {
		const login = await logInToServer({...options, server, clientId, scopes}, {fetch});
		const held = [login.accessToken, login.refreshToken, login.clientSecret].filter(each => each !== undefined);
		for (const each of held) {
			secrets.add(each);
		}

		let fault: string | undefined;
		const saved = await saveMcpLogin(config, login, why => {
			fault = why;
		});
		return storedWhere(config, [saved.accessToken, saved.refreshToken, saved.clientSecret], fault);
	} catch (error) {
		if (before?.wantedScope && error instanceof AppError && error.code === 'auth') {
			await forgetWantedScopes(config, server.href);
		}

		throw error;
	} finally {
		await close();
	}
}

/** Removes the login to an MCP server here, and revokes it there if that is possible. */
export async function logOut(
	configured: ConfiguredServer,
	{env, version}: ProgramOptions,
	local: LocalState,
): Promise<'none' | 'removed' | 'revoked'> {
	const {config} = local;
	const server = await urlOf(configured, env, local);
	const login = mcpLoginOf(config.read(), server.href);
	if (!login) {
		return 'none';
	}

	const [{revokeLogin}, {createOAuthFetch}] = await Promise.all([
		import('../agent/mcp/oauth/log-in.ts'),
		import('../agent/mcp/oauth/oauth-fetch.ts'),
	]);
	const {fetch, close} = createOAuthFetch({server, env, version});
	const isRevoked = await revokeLogin(login, config.open, fetch);
	await close();
	await removeMcpLogin(config, server.href);
	return isRevoked ? 'revoked' : 'removed';
}

async function urlOf(configured: ConfiguredServer, env: Environment, {project}: LocalState): Promise<URL> {
	const {server} = configured;
	if (server.type !== 'http') {
		throw new AppError('usage', `The MCP server ${server.name} is a command, which has no login here.`, {
			hint: 'Pass a key as a variable: `mcp add <name> --env NAME=value -- <command>`',
		});
	}

	const {variables} = await readEnvFile(configured, project);
	const found = expanded(server, env, variables);
	if ('fault' in found || found.server.type !== 'http') {
		throw new AppError('usage', 'fault' in found ? found.fault : 'It has no URL.');
	}

	return new URL(found.server.url);
}
