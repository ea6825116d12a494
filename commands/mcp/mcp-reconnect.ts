import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'reconnect',
	summary: 'Start an MCP server again',
	args: z.object({name: z.string()}),
	positional: ['name'],
	describe: {name: 'as /mcp shows it'},
	examples: ['mcp reconnect docs'],
	where: 'app',
	whileRunning: true,

	async run({name}, {mcp}) {
		const [{statusOfServer}, {serverRecord}] = await Promise.all([
			import('../../src/command/mcp/edit-servers.ts'),
			import('../../src/command/views/mcp/server-table.ts'),
		]);
		await mcp.reconnect((await statusOfServer(mcp, name)).configured);
		return serverRecord(await statusOfServer(mcp, name));
	},
});
