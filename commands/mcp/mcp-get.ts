import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'get',
	summary: 'Show an MCP server and its tools',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as `mcp list` shows it; a shell starts it', scope: mcpScopeHelp},
	examples: ['mcp get docs'],
	whileRunning: true,

	async run({name, scope}, {program: {mcp}, ui: {live}}) {
		const [{statusOfServer}, {failureOf, serverRecord}] = await Promise.all([
			import('../../src/command/mcp/edit-servers.ts'),
			import('../../src/command/views/mcp/server-table.ts'),
		]);
		const {configured} = await statusOfServer(mcp, name, scope);
		if (!live && configured.unused === undefined) {
			await mcp.reconnect(configured);
		}

		const status = await statusOfServer(mcp, name, scope);
		return {...serverRecord(status), ...(!live && failureOf(status))};
	},
});
