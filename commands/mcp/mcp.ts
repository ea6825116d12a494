import {noun} from '../../src/command/command.ts';
import add from './mcp-add.ts';
import get from './mcp-get.ts';
import list from './mcp-list.ts';
import log from './mcp-log.ts';
import login from './mcp-login.ts';
import logout from './mcp-logout.ts';
import reconnect from './mcp-reconnect.ts';
import remove from './mcp-remove.ts';

export default noun({
	name: 'mcp',
	summary: 'MCP servers, whose tools the agent can use',
	verbs: [list, add, get, remove, login, logout, log, reconnect],
	fallback: 'list',
});
