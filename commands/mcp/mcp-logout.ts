import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'logout',
	summary: 'Log out of an MCP server',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as `mcp list` shows it', scope: mcpScopeHelp},
	examples: ['mcp logout docs'],

	async run({name, scope}, {program: {mcp}, ui: {live}}) {
		const {statusOfServer} = await import('../../src/command/mcp/edit-servers.ts');
		const {configured} = await statusOfServer(mcp, name, scope);
		const done = await mcp.logOut(configured);
		if (done === 'none') {
			throw new AppError('not-found', `You are not logged in to the MCP server ${name}.`);
		}

		if (live && configured.unused === undefined) {
			await mcp.reconnect(configured);
		}

		const there = done === 'revoked' ? '' : ' It may stay valid at the server until it expires.';
		return {
			kind: 'text',
			text: `Logged out of the MCP server ${name}.${there}`,
			data: {name, revoked: done === 'revoked'},
		};
	},
});
