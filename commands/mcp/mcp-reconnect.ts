import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'reconnect',
	summary: 'Start an MCP server again',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as /mcp shows it', scope: mcpScopeHelp},
	examples: ['mcp reconnect docs'],
	where: 'app',
	whileRunning: true,

	async run({name, scope}, {program: {mcp}}) {
		const [{statusOfServer}, {serverRecord}] = await Promise.all([
			import('../../src/command/mcp/edit-servers.ts'),
			import('../../src/command/views/mcp/server-table.ts'),
		]);
		await mcp.reconnect((await statusOfServer(mcp, name, scope)).configured);
		return serverRecord(await statusOfServer(mcp, name, scope));
	},
});
