import * as z from 'zod/mini';
import {mcpScope, mcpScopeHelp, repeatable} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {abortable} from '../src/core/abortable.ts';
import {AppError} from '../src/core/error.ts';

const list = command({
	name: 'list',
	summary: 'List the MCP servers with their state, tools and tokens',
	args: z.object({check: z.optional(z.boolean()), scope: z.optional(mcpScope)}),
	letters: {scope: 's'},
	describe: {check: 'start those that do not run yet', scope: 'those of local, user or project alone'},
	examples: ['mcp list', 'mcp list --check'],
	whileRunning: true,

	async run({check = false, scope}, {program, signal}) {
		const {serverTable} = await import('../src/command/views/mcp/server-table.ts');
		const listed = async () =>
			(await program.mcp.status()).filter(({configured}) => scope === undefined || configured.scope === scope);
		const stopped = (await listed()).filter(({configured, state}) => !configured.unused && state.state === 'stopped');
		const starting = check ? stopped.map(({configured}) => program.mcp.reconnect(configured)) : [];
		await abortable(Promise.all(starting), signal);
		return serverTable(await listed(), await program.mcp.faults());
	},
});

const add = command({
	name: 'add',
	summary: 'Add an MCP server: a command to start, or a URL',
	args: z.object({
		// It is typed in rules, mentions and commands.
		name: z
			.string()
			.check(
				z.regex(
					/^[A-Za-z0-9][\w.-]{0,29}$/,
					'must be up to 30 letters, digits, “-”, “_” and “.”, beginning with a letter or a digit',
				),
			),
		target: z.array(z.string()),
		transport: z.optional(z.enum(['http', 'stdio'], 'must be http or stdio (SSE is not supported)')),
		env: repeatable,
		envFile: z.optional(z.string()),
		header: repeatable,
		timeout: z.optional(z.string()),
		scope: z.optional(mcpScope),
		noConnect: z.optional(z.boolean()),
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
		noConnect: 'only write the entry',
	},
	asks: {
		name: 'Name, such as docs or github:',
		target: 'URL or command, such as https://mcp.example.com/mcp or npx -y @example/mcp-files:',
	},
	checks: {
		async name(name, {program}) {
			const {assertFree} = await import('../src/command/mcp/edit-servers.ts');
			await assertFree(program.mcp, name, 'user');
		},
	},
	examples: [
		'mcp add docs https://mcp.example.com/mcp',
		'mcp add files --env ROOT=src -- npx -y @example/mcp-files',
		'mcp add github https://mcp.example.com/github --header "Authorization: Bearer ${GITHUB_TOKEN}"',
	],

	async run(args, {program, ui: {live, interact}, signal}) {
		const [{entryOf}, {changeServers, reconnectServer, serverFromArguments}, {addedResult, addedServer}] =
			await Promise.all([
				import('../src/config/mcp/mcp-file.ts'),
				import('../src/command/mcp/edit-servers.ts'),
				import('../src/command/views/mcp/added-server.ts'),
			]);
		const {name, scope = 'user', noConnect} = args;
		const server = serverFromArguments(args);
		const path = await changeServers(program.mcp, {name, scope, server});
		const added = addedServer(server, {name, scope, file: path, server: entryOf(server)});
		if (noConnect) {
			return added;
		}

		const startedAt = performance.now();
		// A shell says by itself what it waits for.
		if (live) {
			interact.say(`Connecting to ${name} …`);
		}

		try {
			const status = await reconnectServer(program.mcp, {name, scope, signal});
			return addedResult(status, {tookMs: performance.now() - startedAt, added, isLive: live !== undefined});
		} finally {
			if (live) {
				interact.say(signal.aborted ? `Added ${name}. It still connects.` : '');
			}
		}
	},
});

const get = command({
	name: 'get',
	summary: 'Show an MCP server and its tools',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as `mcp list` shows it; a shell starts it', scope: mcpScopeHelp},
	examples: ['mcp get docs'],
	whileRunning: true,

	async run({name, scope}, {program, ui: {live}, signal}) {
		const [{reconnectServer, statusOfServer}, {failureOf, serverRecord}] = await Promise.all([
			import('../src/command/mcp/edit-servers.ts'),
			import('../src/command/views/mcp/server-table.ts'),
		]);
		const {mcp} = program;
		const status = await (live ? statusOfServer(mcp, name, scope) : reconnectServer(mcp, {name, scope, signal}));
		return {...serverRecord(status), ...(!live && failureOf(status))};
	},
});

const remove = command({
	name: 'remove',
	summary: 'Remove an MCP server',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as `mcp list` shows it', scope: mcpScopeHelp},
	examples: ['mcp remove docs'],

	async run({name, scope: given}, {program}) {
		const {changeServers, findServer} = await import('../src/command/mcp/edit-servers.ts');
		const {scope} = findServer(await program.mcp.servers(), name, given);
		const path = await changeServers(program.mcp, {name, scope});
		return {kind: 'text', text: `Removed the MCP server ${name} from ${path}.`, data: {name, scope, file: path}};
	},
});

const login = command({
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
		const [{reconnectServer, statusOfServer}, {logInToMcp}, {statusOf}] = await Promise.all([
			import('../src/command/mcp/edit-servers.ts'),
			import('../src/command/mcp/log-in-to-mcp.ts'),
			import('../src/command/views/mcp/server-table.ts'),
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
			return {...unchanged, text: 'Login cancelled. Nothing changed.'};
		}

		const status = await reconnectServer(mcp, {name, scope, signal});
		const sentences = [`Logged in to the MCP server ${name}.`, done, `It is ${statusOf(status)}.`];
		return {kind: 'text', text: sentences.filter(Boolean).join(' '), data: {name, state: status.state.state}};
	},
});

const logout = command({
	name: 'logout',
	summary: 'Log out of an MCP server',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as `mcp list` shows it', scope: mcpScopeHelp},
	examples: ['mcp logout docs'],

	async run({name, scope}, {program, ui: {live}, signal}) {
		const {reconnectServer, statusOfServer} = await import('../src/command/mcp/edit-servers.ts');
		const {configured} = await statusOfServer(program.mcp, name, scope);
		const done = await program.mcp.logOut(configured);
		if (done === 'none') {
			throw new AppError('not-found', `You are not logged in to the MCP server ${name}.`);
		}

		if (live) {
			await reconnectServer(program.mcp, {name, scope, signal});
		}

		const there = done === 'revoked' ? '' : ' It may stay valid at the server until it expires.';
		return {
			kind: 'text',
			text: `Logged out of the MCP server ${name}.${there}`,
			data: {name, revoked: done === 'revoked'},
		};
	},
});

const log = command({
	name: 'log',
	summary: 'Show what an MCP server logged',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as /mcp shows it', scope: mcpScopeHelp},
	examples: ['mcp log docs'],
	where: 'app',
	whileRunning: true,

	async run({name, scope}, {program}) {
		const [{statusOfServer}, {statusOf}] = await Promise.all([
			import('../src/command/mcp/edit-servers.ts'),
			import('../src/command/views/mcp/server-table.ts'),
		]);
		const status = await statusOfServer(program.mcp, name, scope);
		const {log} = status;
		return {
			kind: 'lines',
			lines: [...(log.length > 0 ? log : ['It logged nothing.']), `${name}: ${statusOf(status)}`],
			data: {name, state: status.state.state, log: [...log]},
		};
	},
});

const reconnect = command({
	name: 'reconnect',
	summary: 'Start an MCP server again',
	args: z.object({name: z.string(), scope: z.optional(mcpScope)}),
	positional: ['name'],
	letters: {scope: 's'},
	describe: {name: 'as /mcp shows it', scope: mcpScopeHelp},
	examples: ['mcp reconnect docs'],
	where: 'app',
	whileRunning: true,

	async run({name, scope}, {program, signal}) {
		const [{reconnectServer}, {serverRecord}] = await Promise.all([
			import('../src/command/mcp/edit-servers.ts'),
			import('../src/command/views/mcp/server-table.ts'),
		]);
		return serverRecord(await reconnectServer(program.mcp, {name, scope, isAsked: true, signal}));
	},
});

export default noun({
	name: 'mcp',
	summary: 'MCP servers, whose tools the agent can use',
	verbs: [list, add, get, remove, login, logout, log, reconnect],
	fallback: 'list',
});
