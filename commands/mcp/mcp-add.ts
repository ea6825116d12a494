import * as z from 'zod/mini';
import {mcpScope, repeatable} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'add',
	summary: 'Add an MCP server: a command to start, or a URL',
	args: z.object({
		name: z.string(),
		target: z.array(z.string()),
		transport: z.optional(z.enum(['http', 'stdio'], 'must be http or stdio (SSE is not supported)')),
		env: repeatable,
		envFile: z.optional(z.string()),
		header: repeatable,
		timeout: z.optional(z.string()),
		scope: z.optional(mcpScope),
	}),
	positional: ['name', 'target'],
	rest: true,
	usage: '<name> [flags] <url>, or <name> [flags] -- <command> [arguments]',
	letters: {transport: 't', env: 'e', header: 'H', scope: 's'},
	describe: {
		name: 'what tools and rules call it',
		target: 'URL, or command with its arguments after --',
		transport: 'or -t: http for a URL, stdio for a command; found out without it',
		env: 'or -e: NAME=value, a variable of the command',
		envFile: 'a file of NAME=value lines, read when the server starts',
		header: 'or -H: "Name: value", sent to the URL',
		timeout: 'seconds that a call may take without progress (default 120)',
		scope: 'or -s: user (default), local for this project only, project for .mcp.json',
	},
	examples: [
		'mcp add docs https://mcp.example.com/mcp',
		'mcp add files --env ROOT=src -- npx -y @example/mcp-files',
		'mcp add github https://mcp.example.com/github --header "Authorization: Bearer ${GITHUB_TOKEN}"',
	],

	async run(args, {program: {mcp}}) {
		const {entryOf} = await import('../../src/config/mcp/mcp-file.ts');
		const {targetOf} = await import('../../src/command/views/mcp/server-lines.ts');
		const {changeServers, serverFromArguments} = await import('../../src/command/mcp/edit-servers.ts');
		const {name, scope = 'user'} = args;
		const server = serverFromArguments(args);
		const path = await changeServers(mcp, {name, scope, server});
		return {
			kind: 'text',
			text: `Added the MCP server ${name}: ${targetOf(server)}`,
			hint: `Check it: \`mcp get ${name}\``,
			data: {name, scope, file: path, server: entryOf(server)},
		};
	},
});
