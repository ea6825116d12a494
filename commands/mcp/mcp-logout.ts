import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'logout',
	summary: 'Log out of an MCP server',
	args: z.object({name: z.string()}),
	positional: ['name'],
	describe: {name: 'as `mcp list` shows it'},
	examples: ['mcp logout docs'],

	async run({name}, {mcp, live}) {
		const {statusOfServer} = await import('../../src/command/mcp/edit-servers.ts');
		const {configured} = await statusOfServer(mcp, name);
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
