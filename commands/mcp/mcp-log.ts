import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'log',
	summary: 'Show what an MCP server logged',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as /mcp shows it', scope: mcpScopeHelp},
	examples: ['mcp log docs'],
	where: 'app',
	whileRunning: true,

	async run({name, scope}, {program: {mcp}}) {
		const [{statusOfServer}, {statusOf}] = await Promise.all([
			import('../../src/command/mcp/edit-servers.ts'),
			import('../../src/command/views/mcp/server-table.ts'),
		]);
		const status = await statusOfServer(mcp, name, scope);
		const {log} = status;
		return {
			kind: 'lines',
			lines: [...(log.length > 0 ? log : ['It logged nothing.']), `${name}: ${statusOf(status)}`],
			data: {name, state: status.state.state, log: [...log]},
		};
	},
});
