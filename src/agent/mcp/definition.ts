import {createHash} from 'node:crypto';
import {cutText} from '../../core/cut-text.ts';
import {mapStrings} from '../../core/json.ts';
import type {ToolDefinition} from '../../core/session/tool.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import type {ConfiguredServer} from './configured-servers.ts';
import type {ListedTool} from './connection.ts';

/** A tool of a server as the model sees it. */
export type McpTool = ToolDefinition & {
	/** The name that the server gives it. Untrusted. */
	readonly listedName: string;
	/** Its name in rules, behind that of the server. */
	readonly id: string;
	/** Of everything that the server says about it. */
	readonly hash: string;
	readonly claimsReadOnly: boolean;
};

/** Most tools of one server. */
const maxTools = 1000;
const maxDescription = 2000;
/** What every provider accepts as a name. */
const maxName = 64;

/**
 * Returns the tools of a server as `mcp__server__tool`, with bounded texts, and a sentence for each that can't be used. Names
 * are unique and stay the same as long as the list does. Credentials in them are masked by `hide`: a server may have read them.
 */
export function toolsOf(
	{id: server}: Pick<ConfiguredServer, 'id'>,
	listed: readonly ListedTool[],
	hide: (text: string) => string = text => text,
): {readonly tools: readonly McpTool[]; readonly faults: readonly string[]} {
	const taken = new Set<string>();
	const names = new Set<string>();
	const faults: string[] = [];
	const tools = listed.slice(0, maxTools).flatMap((tool): readonly McpTool[] => {
		if (names.has(tool.name)) {
			faults.push(`The tool ${cutText(hide(tool.name), 100)} is listed more than once: only the first one is used.`);
			return [];
		}

		names.add(tool.name);
		const id = uniqueId(tool.name, server, hide, taken);
		taken.add(id);
		return [
			{
				listedName: tool.name,
				id,
				hash: hashOf(tool),
				name: `mcp__${server}__${id}`,
				parameters: mapStrings(tool.inputSchema, hide, {names: true}),
				description: describe(tool, server, hide),
				claimsReadOnly: tool.readOnlyHint === true,
			},
		];
	});
	if (listed.length > maxTools) {
		faults.push(`Only ${maxTools} of its ${listed.length} tools are used.`);
	}

	return {tools, faults};
}

function describe({title, description}: ListedTool, server: string, hide: (text: string) => string): string {
	const text = hide([title, description].filter(Boolean).join('. ')) || 'No description.';
	return cutText(`[MCP server ${server}] ${safeText(text)}`, maxDescription);
}

/**
 * Returns a name as rules, models and slash commands may spell it; one that is too long or taken ends in its hash. It stays the
 * same whatever else a server says: what was allowed of a tool is known by it.
 */
export function uniqueId(
	name: string,
	server: string,
	hide: (text: string) => string,
	taken: ReadonlySet<string>,
): string {
	const plain = hide(name).replace(/[^A-Za-z0-9_-]/g, '_');
	const room = maxName - `mcp__${server}__`.length;
	// No record that is read by a schema keeps `__proto__`.
	const isName = /[A-Za-z0-9]/.test(plain) && plain !== '__proto__';
	return isName && plain.length <= room && !taken.has(plain)
		? plain
		: `${plain.slice(0, room - 9)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

function hashOf({name, title, description, inputSchema, readOnlyHint}: ListedTool): string {
	const said = JSON.stringify([name, title, description, inputSchema, readOnlyHint]);
	return createHash('sha256').update(said).digest('hex');
}
