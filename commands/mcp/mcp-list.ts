import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'List the MCP servers and whether they are used',
	args: z.object({}),
	examples: ['mcp list'],
	whileRunning: true,

	async run(_, {mcp}) {
		const {serverTable} = await import('../../src/command/views/mcp/server-table.ts');
		return serverTable(await mcp.servers(), await mcp.faults());
	},
});
