import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {unchanged} from '../../src/command/result.ts';
import {promptToKeep} from '../../src/command/secret-line.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {dataOf, drawn, testContext} from './context.ts';

test('adds servers for the user, in a private file, and lists and removes them', async () => {
	const here = testContext();
	await here.run(
		'mcp',
		'add',
		'--no-connect',
		'docs',
		'https://mcp.example.com/mcp',
		'--header',
		'Authorization: Bearer ${DOCS}',
	);
	await here.run(
		'mcp',
		'add',
		'--no-connect',
		'files',
		'--env',
		'ROOT=src',
		'--timeout',
		'5',
		'--',
		'npx',
		'-y',
		'files',
	);
	const path = join(here.home, 'mcp.json');
	expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
		mcpServers: {
			docs: {type: 'http', url: 'https://mcp.example.com/mcp', headers: {Authorization: 'Bearer ${DOCS}'}},
			files: {command: 'npx', args: ['-y', 'files'], env: {ROOT: 'src'}, timeout: 5000},
		},
	});
	expect(statSync(path).mode & 0o777).toBe(0o600);

	const table = drawn(await here.run('mcp'), 100);
	expect(table).toMatch(/docs +not started +https:\/\/mcp\.example\.com\/mcp +user/);
	expect(table).toMatch(/files +not started +npx -y files +user/);
	expect(dataOf(await here.run('mcp', 'get', 'files'))).toMatchObject({name: 'files', scope: 'user', used: true});

	await here.run('mcp', 'remove', 'docs');
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({servers: [{name: 'files'}]});
});

test('a server that fails has its reason in a line of its own, so that its command keeps its column', async () => {
	const here = testContext();
	const script = 'console.error("The database file of the server is not readable"); process.exit(2)';
	await here.run('mcp', 'add', '--no-connect', 'files', '--', process.execPath, '-e', script);
	const table = drawn(await here.run('mcp', 'list', '--check'), 120);
	expect(table).toMatch(/^files +failed +\S+node -e/m);
	expect(table).toMatch(
		/^files failed: it ended with status 2 \(The database file of the server is not readable\)\.$/m,
	);
});

test('takes the flags of other clients, before and behind the name', async () => {
	const here = testContext();
	await here.run(
		...'mcp add --no-connect --transport http -s user docs https://mcp.example.com/mcp -H'.split(' '),
		'X-Team: a',
	);
	await here.run(...'mcp add --no-connect -e ROOT=src -e A=b files -t stdio -- npx -y -e files'.split(' '));
	expect(JSON.parse(readFileSync(join(here.home, 'mcp.json'), 'utf8')).mcpServers).toEqual({
		docs: {type: 'http', url: 'https://mcp.example.com/mcp', headers: {'X-Team': 'a'}},
		files: {command: 'npx', args: ['-y', '-e', 'files'], env: {ROOT: 'src', A: 'b'}},
	});
});

test('a server that the user adds to the project is trusted; one that somebody else adds is not', async () => {
	const here = testContext();
	await here.run('mcp', 'add', '--no-connect', 'db', '--scope', 'project', '--', 'db-server', '--read-only');
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({
		servers: [{name: 'db', scope: 'project', used: true, args: ['--read-only']}],
	});

	const path = join(here.folder, '.mcp.json');
	writeFileSync(path, readFileSync(path, 'utf8').replace('db-server', 'other-server'));
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({
		servers: [{name: 'db', used: false, reason: 'the file is not trusted'}],
	});
	expect(drawn(await here.run('trust'), 100)).toContain('MCP server db: other-server --read-only (.mcp.json)');
	// A change of the user's own leaves that as it is.
	await here.run('mcp', 'add', '--no-connect', 'docs', 'https://mcp.example.com/mcp', '--scope', 'project');
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({servers: [{used: false}, {used: false}]});
});

test('the user’s own server wins over one of the project with its name', async () => {
	const here = testContext();
	await here.run('mcp', 'add', '--no-connect', 'db', '--scope', 'project', '--', 'theirs');
	await here.run('mcp', 'add', '--no-connect', 'db', '--', 'mine');
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({
		servers: [
			{command: 'mine', used: true},
			{command: 'theirs', used: false, reason: 'another one has its name'},
		],
	});
	await expect(here.run('mcp', 'get', 'db')).rejects.toMatchObject({code: 'conflict'});
	expect(dataOf(await here.run('mcp', 'get', 'db', '--scope', 'project'))).toMatchObject({command: 'theirs'});
});

test('a local server is in no file of the project, and no other project has it', async () => {
	const here = testContext();
	await here.run('mcp', 'add', '--no-connect', '--scope', 'local', 'db', '--', 'mine-here');
	expect(existsSync(join(here.folder, '.mcp.json'))).toBe(false);
	const {file} = dataOf(await here.run('mcp', 'add', '--no-connect', '-s', 'local', 'x', '--', 'x')) as {
		readonly file: string;
	};
	expect(file.startsWith(join(here.home, 'projects'))).toBe(true);
	expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
	await here.run('mcp', 'remove', 'x');

	const elsewhere = testContext({like: {...here, folder: temporaryFolder()}});
	expect(dataOf(await elsewhere.run('mcp', 'list'))).toMatchObject({servers: []});
	expect(drawn(await here.run('mcp', 'list'), 100)).toMatch(/db +not started +mine-here +local/);
	writeFileSync(file, 'not JSON', {mode: 0o600});
	expect(drawn(await here.run('mcp', 'list'), 200)).toContain('is not used: it is not valid JSON');
});

test('of servers with one name the local one is used, and a scope selects any of them', async () => {
	const here = testContext();
	for (const scope of ['project', 'user', 'local']) {
		await here.run('mcp', 'add', '--no-connect', 'db', '--scope', scope, '--', `of-${scope}`);
	}

	const other = {used: false, reason: 'another one has its name'};
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({
		servers: [
			{scope: 'local', used: true},
			{scope: 'user', ...other},
			{scope: 'project', ...other},
		],
	});
	expect(dataOf(await here.run('mcp', 'list', '--scope', 'user'))).toMatchObject({servers: [{command: 'of-user'}]});
	await expect(here.run('mcp', 'remove', 'db')).rejects.toMatchObject({
		...{code: 'conflict', message: 'Several files have an MCP server “db”.'},
		hint: 'Pass --scope local or --scope user or --scope project.',
	});
	await here.run('mcp', 'remove', 'db', '-s', 'local');
	expect(dataOf(await here.run('mcp', 'get', 'db', '-s', 'user'))).toMatchObject({command: 'of-user', used: true});
});

test('a file of variables is named in the entry; that of a project is trusted as its scripts are', async () => {
	const here = testContext();
	writeFileSync(join(here.folder, '.env'), 'API_TOKEN=abcd1234abcd');
	await here.run('mcp', 'add', '--no-connect', 'db', '-s', 'project', '--env-file', '.env', '--', 'db-server');
	expect(JSON.parse(readFileSync(join(here.folder, '.mcp.json'), 'utf8')).mcpServers).toEqual({
		db: {command: 'db-server', envFile: '.env'},
	});
	const shown = drawn(await here.run('mcp', 'get', 'db'), 100);
	expect(shown).toMatch(/variables +from \.env/);
	expect(shown).not.toContain('changed');
	expect(drawn(await here.run('trust'), 100)).toMatch(/\.env +server variables +22 B +trusted/);

	writeFileSync(join(here.folder, '.env'), 'NODE_OPTIONS=--require=./evil.js');
	expect(drawn(await here.run('mcp', 'get', 'db'), 200)).toContain(
		'.env changed, and MCP servers run only what you trust.',
	);
});

test.each([
	['usage', 'mcp add x https://mcp.example.com --env A=b', 'A URL takes no --env and no arguments.'],
	['usage', 'mcp add x run --header A:b', 'A command takes no --header.'],
	['usage', 'mcp add x https://me:pw@mcp.example.com', 'The URL must not contain a user name or password.'],
	['usage', 'mcp add x https://mcp.example.com --header nonsense', 'Invalid --header “nonsense”.'],
	['usage', 'mcp add -t stdio x https://mcp.example.com', 'A URL takes --transport http.'],
	['usage', 'mcp add --transport http x run', 'A command takes --transport stdio.'],
	['usage', 'mcp add -t sse x https://mcp.example.com', '--transport must be http or stdio (SSE is not supported).'],
	[
		'usage',
		'mcp add -s team x run',
		'--scope must be local (you, in this project), user (you) or project (.mcp.json).',
	],
	['usage', 'mcp add x -s project --env-file /etc/env run', 'The --env-file of a project must be in it.'],
	['usage', 'mcp add x run --timeout -1', 'Invalid --timeout “-1”: not a number of seconds up to 3600.'],
	['usage', 'mcp add x --scope project --env API_TOKEN=abcd1234 run', 'API_TOKEN would be in .mcp.json for everyone'],
	['usage', 'mcp add x npx -y files', 'Unknown flag -y for mcp add.'],
	['not-found', 'mcp get nothing', 'No MCP server “nothing”.'],
	['not-found', 'mcp remove nothing', 'No MCP server “nothing”.'],
	['conflict', 'mcp add Docs https://mcp.example.com', 'There is an MCP server “Docs” already.'],
	['usage', 'mcp add Docs? https://mcp.example.com', '<name> must be up to 30 letters, digits, “-”, “_” and “.”'],
	['usage', 'mcp add -- -x https://mcp.example.com', 'beginning with a letter or a digit.'],
	['usage', 'mcp add x ftp://example.com/mcp', '“ftp://example.com/mcp” is neither an http(s) URL nor a command.'],
	['usage', 'mcp add x mcp.example.com/mcp', '“mcp.example.com/mcp” is neither a URL nor a command.'],
])('fails with %s: %s', async (code, line, message) => {
	const here = testContext();
	await here.run('mcp', 'add', '--no-connect', 'Docs', 'https://mcp.example.com/mcp');
	await expect(here.run(...line.split(' '))).rejects.toMatchObject({code, message: expect.stringContaining(message)});
});

test('a damaged file is named, and stays as it is', async () => {
	const here = testContext();
	writeFileSync(join(here.home, 'mcp.json'), 'not JSON', {mode: 0o600});
	await expect(here.run('mcp', 'add', '--no-connect', 'x', 'y')).rejects.toMatchObject({code: 'failed'});
	expect(readFileSync(join(here.home, 'mcp.json'), 'utf8')).toBe('not JSON');
	expect(drawn(await here.run('mcp', 'list'), 100)).toContain('is not used: it is not valid JSON');
});

test('credentials in a file are masked, variables are shown [8]', async () => {
	const here = testContext();
	await here.run(
		'mcp',
		'add',
		'--no-connect',
		'a',
		'--env',
		'API_TOKEN=abcd1234',
		'--env',
		'DB_TOKEN=${DB}',
		'--',
		'run',
	);
	const shown = drawn(await here.run('mcp', 'get', 'a'), 100);
	expect(shown).toContain('${DB}');
	expect(shown + JSON.stringify(dataOf(await here.run('mcp', 'get', 'a')))).not.toContain('abcd1234');
});

test('the prompt history keeps no credential of a server [11]', () => {
	for (const flag of ['--env', '-e']) {
		expect(promptToKeep(commands, `/mcp add a ${flag} API_TOKEN=abcd1234 -- run`)).toBe(
			`/mcp add a ${flag} API_TOKEN=*** -- run`,
		);
	}

	expect(promptToKeep(commands, '/mcp add a https://e.example -H "X-Api-Key: abcd1234"')).not.toContain('abcd1234');
});

test.each([
	['npx -y files', '“npx -y files” is no command: it has spaces.'],
	[' ', 'The URL or the command is missing.'],
])('a target that is neither a URL nor a command is refused: “%s”', async (target, message) => {
	await expect(testContext().run('mcp', 'add', 'x', target)).rejects.toMatchObject({code: 'usage', message});
});

const scripted = join(import.meta.dirname, '../agent/mcp/scripted-server.mjs');

test('the app connects to a new server at once, and says what its tools cost', async () => {
	const here = testContext();
	const added = await here.runInApp('mcp', 'add', 'docs', '--', process.execPath, scripted);
	expect(drawn(added, 80)).toMatch(/^✓ docs: 1 tool, \d+ tokens, [\d.]+ m?s\n/);
	expect(here.said).toEqual(['Connecting to docs …', '']);
	expect(dataOf(added)).toMatchObject({name: 'docs', state: 'ready', error: null});
});

test('a new server that fails is added, and its own words say why', async () => {
	const here = testContext();
	const script = 'console.error("No database here"); process.exit(2)';
	const added = await here.runInApp('mcp', 'add', 'files', '--', process.execPath, '-e', script);
	expect(drawn(added, 100)).toContain(
		'✗ files failed: it ended with status 2 (No database here). It was added.\nTry again: /mcp reconnect files, or remove it: /mcp remove files',
	);
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({servers: [{name: 'files'}]});
});

test('a name that is invalid, or that another server has, is asked for again with the reason, before the command', async () => {
	const here = testContext({answers: ['my docs', 'docs', 'files', undefined]});
	await here.run('mcp', 'add', 'docs', '--no-connect', 'https://mcp.example.com/mcp');
	expect(await here.runInApp('mcp', 'add')).toEqual(unchanged);
	const name = 'Name, such as docs or github:';
	expect(here.asked).toMatchObject([
		{label: name},
		{label: expect.stringMatching(/^It must be up to 30 letters.* digit\. Name, such as docs or github:$/)},
		{label: `There is an MCP server “docs” already. ${name}`},
		{label: expect.stringMatching(/^URL or command/)},
	]);
	expect(dataOf(await here.run('mcp', 'list'))).toMatchObject({servers: [{name: 'docs'}]});
});

test('whoever answers a question with the same invalid value for ever gets its error', async () => {
	const here = testContext({answers: Array.from({length: 30}, () => 'my docs')});
	await expect(here.runInApp('mcp', 'add')).rejects.toMatchObject({code: 'usage'});
	expect(here.asked).toHaveLength(20);
});

test('without arguments the app asks for a name and a command, with examples of both', async () => {
	const here = testContext({answers: ['docs', `"${process.execPath}" ${scripted} "{}"`]});
	expect(drawn(await here.runInApp('mcp', 'add'), 80)).toMatch(/^✓ docs: 1 tool/);
	expect(here.asked).toMatchObject([
		{label: 'Name, such as docs or github:'},
		{label: 'URL or command, such as https://mcp.example.com/mcp or npx -y @example/mcp-files:'},
	]);
});
