import {join} from 'node:path';
import {ownMcpFile, projectMcpFile} from '../agent/project/project-files.ts';
import type {McpAccess} from '../command/mcp/mcp-access.ts';
import type {LocalState} from './local-state.ts';

/** Creates the access of commands to MCP servers. */
export function createMcpParts({home, project}: LocalState): McpAccess {
	return {
		async servers() {
			const {configuredServers} = await import('../agent/mcp/configured-servers.ts');
			return configuredServers(await project.load());
		},
		faults: async () => {
			const {serverFaults} = await import('../agent/mcp/configured-servers.ts');
			const state = await project.state();
			const files = [...state.ownFaults, ...state.faults].filter(({path}) => path.endsWith(ownMcpFile));
			return [...files.map(({path, reason}) => ({name: 'The file', path, reason})), ...serverFaults(state)];
		},
		async change({scope, ...change}) {
			const {changeOwnServers, changeProjectServers} = await import('../config/mcp/mcp-store.ts');
			if (scope === 'user') {
				const path = join(home.path, ownMcpFile);
				await changeOwnServers(path, change);
				return path;
			}

			const before = await project.load();
			const path = join(before.root, projectMcpFile);
			const standing = before.files.find(file => file.path === projectMcpFile)?.standing;
			await changeProjectServers(path, change);
			const after = (await project.load()).files.filter(
				file => file.path === projectMcpFile || (file.kind === 'server script' && file.standing === 'new'),
			);
			if (standing === undefined || standing === 'trusted') {
				await project.decide(true, after);
			}

			return path;
		},
	};
}
