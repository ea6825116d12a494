import process from 'node:process';
import type {CommandRequest} from '../command/context.ts';
import type {McpPart, ServersPart} from '../command/parts.ts';
import {listKeys} from '../config/provider-keys.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import {providerNames} from '../core/model.ts';
import type {ConfiguredHost} from '../doctor/check-network.ts';
import {registry} from '../providers/registry.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import type {Servers} from './servers.ts';

/** Returns what checks the program for one command. Its modules are loaded when it is called. */
export function createDoctor(
	{store, env, version, keychain, homeFault}: ProgramOptions,
	{home, config, settings, folder, secrets}: LocalState,
	{createTransport}: Servers,
	{flags, signal}: CommandRequest,
	mcp: McpPart,
): ServersPart['diagnose'] {
	return async () => {
		const {diagnose} = await import('../doctor/diagnose.ts');
		const {stdout} = process;
		// The flag and the setting count as the variable does.
		const shown = settings.value('accessible') ? {...env, ACCESSIBLE: '1'} : env;
		const connected = store.getState().connection.profile;
		return diagnose({
			version,
			env: shown,
			home,
			homeFault,
			config,
			settings,
			keychain,
			signal,
			terminal: {isTTY: stdout.isTTY === true, columns: stdout.columns, rows: stdout.rows},
			workspace: folder.path(),
			places: {stateFolder: home.path, homeFolder: folder.home},
			server: () => resolveProfile({data: config.read(), env, flags, connected})?.server,
			hosts: async () => [
				...Object.entries(config.read().profiles).map(([name, {server}]) => ({usedBy: name, url: server})),
				...providerHosts(config, env),
				...(await mcpHosts(mcp)),
			],
			openTransport: () => createTransport(undefined, flags.insecureHttp),
			hide: secrets.hide,
		});
	};
}

/** Returns the hosts of providers with a key, or with a base URL of their own. */
function providerHosts(config: LocalState['config'], env: ProgramOptions['env']): readonly ConfiguredHost[] {
	const withKey = listKeys({config, env, rows: registry}).map(({provider, baseUrl}) => ({
		usedBy: provider as string,
		url: baseUrl,
	}));
	const withBase = providerNames.map(provider => ({
		usedBy: provider,
		url: env[registry[provider].baseVariable]?.trim(),
	}));
	return [...withKey, ...withBase].flatMap(({usedBy, url}) => (url ? [{usedBy, url}] : []));
}

/** Returns the hosts of MCP servers that are reached over HTTP, that are used, as far as their addresses need no variable. */
async function mcpHosts(mcp: McpPart): Promise<readonly ConfiguredHost[]> {
	const servers = await mcp.servers().catch(() => []);
	return servers.flatMap(({server, standing}) =>
		(standing === 'user' || standing === 'trusted') && server.type === 'http' && !server.url.includes('${')
			? [{usedBy: `MCP server ${server.name}`, url: server.url}]
			: [],
	);
}
