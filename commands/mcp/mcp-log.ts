import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'log',
	summary: 'Show what an MCP server logged',
	args: z.object({name: z.string()}),
	positional: ['name'],
	describe: {name: 'as /mcp shows it'},
	examples: ['mcp log docs'],
	where: 'app',
	whileRunning: true,

	async run({name}, {mcp}) {
		const [{statusOfServer}, {statusOf}] = await Promise.all([
			import('../../src/command/mcp/edit-servers.ts'),
			import('../../src/command/views/mcp/server-table.ts'),
		]);
		const status = await statusOfServer(mcp, name);
		const {log} = status;
		return {
			kind: 'lines',
			lines: [...(log.length > 0 ? log : ['It logged nothing.']), `${name}: ${statusOf(status)}`],
			data: {name, state: status.state.state, log: [...log]},
		};
	},
});
