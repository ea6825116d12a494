import type {ServerStatus} from '../../../agent/mcp/servers.ts';
import {tokensOfDefinitions} from '../../../agent/request-usage.ts';
import type {McpServer} from '../../../config/mcp/mcp-file.ts';
import {formatAmount, formatCount, formatDuration} from '../../../core/format.ts';
import type {JsonObject} from '../../../core/json.ts';
import {shellWord} from '../../../core/shell-word.ts';
import type {Result} from '../../result.ts';
import {targetOf} from './server-lines.ts';
import {failureOf, loginNote, statusOf, toolData} from './server-table.ts';

type Added = {readonly kind: 'text'; readonly text: string; readonly hint: string; readonly data: JsonObject};

/** Returns that a server was added, which nothing has connected to yet. */
export function addedServer(server: McpServer, data: JsonObject): Added {
	const text = `Added the MCP server ${server.name}: ${targetOf(server)}`;
	return {kind: 'text', text, hint: `Check it: \`mcp get ${shellWord(server.name)}\``, data};
}

type Connected = {readonly added: Added; readonly tookMs: number; readonly isLive: boolean};

/**
 * Returns whether a server that was just added runs, with what its tools cost, or its own words. A shell fails with those;
 * the entry stays.
 */
export function addedResult(status: ServerStatus, {added, tookMs, isLive}: Connected): Result {
	const {configured, state, tools, faults} = status;
	const name = shellWord(configured.server.name);
	const data = {
		...added.data,
		state: state.state,
		error: state.state === 'failed' ? state.reason : null,
		...(state.state === 'ready' && {tools: toolData(tools), took_ms: Math.round(tookMs)}),
	};
	if (state.state === 'ready') {
		const size = `${formatAmount(tools.length, 'tool')}, ${formatCount(tokensOfDefinitions(tools))} tokens`;
		const text = [`✓ ${configured.server.name}: ${size}, ${formatDuration(tookMs)}`, ...faults].join('\n');
		return {kind: 'text', text, hint: `Its tools: \`mcp get ${name}\``, data};
	}

	const [
		hint = isLive
			? `Try again: \`/mcp reconnect ${name}\`, or remove it: \`mcp remove ${name}\``
			: `Try again: \`mcp get ${name}\`, or remove it: \`mcp remove ${name}\``,
	] = loginNote(status);
	const {failure} = failureOf(status);
	if (!isLive && failure) {
		const {text} = added;
		return {kind: 'group', parts: [{kind: 'text', text}], data, failure: {...failure, hint}};
	}

	return {kind: 'text', text: `✗ ${configured.server.name} ${statusOf(status)}. It was added.`, hint, data};
}
