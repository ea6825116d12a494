import {test} from 'vitest';
import {protectedServer} from '../agent/mcp/authorization-server.ts';
import {openApp} from './app-in-process.ts';
import {waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';

test('in the app, without a browser, the user pastes the address that theirs ends on, and the tools are there', async () => {
	const server = await protectedServer();
	const home = folderWith({'mcp.json': JSON.stringify({mcpServers: {docs: {type: 'http', url: server.url}}})});
	const terminal = openApp({home, columns: 100});
	await waitForIdle(terminal);
	terminal.type('/mcp login docs\r');
	await terminal.waitFor('p paste the address it ends on');
	const lines = terminal.screen().map(line => line.trimEnd());
	const first = lines.findIndex(line => line.startsWith('? Log in to the MCP server docs at '));
	const last = lines.findIndex(line => line.includes('p paste the address'));
	const page = lines.slice(first + 1, last).join('');
	terminal.type('p');
	await terminal.waitFor('Address that the browser ends on');
	terminal.type(`${await server.browse(page, {follows: false})}\r`);
	await terminal.waitFor('Logged in to the MCP server docs.');
	await terminal.waitFor('It is ready.');
	terminal.type('/mcp logout docs\r');
	await terminal.waitFor('Logged out of the MCP server docs.');
	terminal.type('/mcp\r');
	await terminal.waitFor('needs login');
	await terminal.waitFor('Log in to docs: /mcp login docs');
});
