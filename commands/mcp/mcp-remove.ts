import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'remove',
	summary: 'Remove an MCP server',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as `mcp list` shows it', scope: mcpScopeHelp},
	examples: ['mcp remove docs'],

	async run({name, scope: given}, {program: {mcp}}) {
		const {changeServers, findServer} = await import('../../src/command/mcp/edit-servers.ts');
		const {scope} = findServer(await mcp.servers(), name, given);
		const path = await changeServers(mcp, {name, scope});
		return {kind: 'text', text: `Removed the MCP server ${name} from ${path}.`, data: {name, scope, file: path}};
	},
});
