import * as z from 'zod/mini';
import {mcpScope} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'List the MCP servers with their state, tools and tokens',
	args: z.object({check: z.optional(z.boolean()), scope: z.optional(mcpScope)}),
	letters: {scope: 's'},
	describe: {check: 'start those that do not run yet', scope: 'those of local, user or project alone'},
	examples: ['mcp list', 'mcp list --check'],
	whileRunning: true,

	async run({check = false, scope}, {program: {mcp}}) {
		const {serverTable} = await import('../../src/command/views/mcp/server-table.ts');
		const listed = async () =>
			(await mcp.status()).filter(({configured}) => scope === undefined || configured.scope === scope);
		const stopped = (await listed()).filter(({configured, state}) => !configured.unused && state.state === 'stopped');
		await Promise.all(check ? stopped.map(({configured}) => mcp.reconnect(configured)) : []);
		return serverTable(await listed(), await mcp.faults());
	},
});
