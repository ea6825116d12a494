import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'login',
	summary: 'Log in to an MCP server through the browser',
	args: z.object({name: z.string(), clientId: z.optional(z.string()), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {
		name: 'as `mcp list` shows it',
		clientId: 'id of a registered client, if the server registers none by itself',
		scope: mcpScopeHelp,
	},
	examples: ['mcp login docs'],
	whileRunning: true,

	async run({name, clientId, scope}, context) {
		const [{statusOfServer}, {logInToMcp}, {statusOf}] = await Promise.all([
			import('../../src/command/mcp/edit-servers.ts'),
			import('../../src/command/mcp/log-in-to-mcp.ts'),
			import('../../src/command/views/mcp/server-table.ts'),
		]);
		const {
			program: {
				mcp,
				local: {env},
			},
			ui: {interact},
			signal,
		} = context;
		const {configured} = await statusOfServer(mcp, name, scope);
		const done = await logInToMcp(configured, {mcp, interact, env, signal}, clientId);
		if (done === 'cancelled') {
			return {kind: 'text', text: 'Login cancelled. Nothing changed.'};
		}

		if (configured.unused === undefined) {
			await mcp.reconnect(configured);
		}

		const status = await statusOfServer(mcp, name, scope);
		const sentences = [`Logged in to the MCP server ${name}.`, done, `It is ${statusOf(status)}.`];
		return {kind: 'text', text: sentences.filter(Boolean).join(' '), data: {name, state: status.state.state}};
	},
});
