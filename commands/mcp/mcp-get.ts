import * as z from 'zod/mini';
import {mcpScope} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'get',
	summary: 'Show an MCP server',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	describe: {name: 'as `mcp list` shows it', scope: 'user or project, if both have it'},
	examples: ['mcp get docs'],
	whileRunning: true,

	async run({name, scope}, {mcp}) {
		const {serverRecord} = await import('../../src/command/views/mcp/server-table.ts');
		const {findServer} = await import('../../src/command/mcp/edit-servers.ts');
		return serverRecord(findServer(await mcp.servers(), name, scope));
	},
});
