import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'List the MCP servers with their state, tools and tokens',
	args: z.object({check: z.optional(z.boolean())}),
	describe: {check: 'start those that do not run yet'},
	examples: ['mcp list', 'mcp list --check'],
	whileRunning: true,

	async run({check = false}, {mcp}) {
		const {serverTable} = await import('../../src/command/views/mcp/server-table.ts');
		const stopped = (await mcp.status()).filter(
			({configured, state}) => !configured.unused && state.state === 'stopped',
		);
		await Promise.all(check ? stopped.map(({configured}) => mcp.reconnect(configured)) : []);
		return serverTable(await mcp.status(), await mcp.faults());
	},
});
