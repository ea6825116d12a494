import {createHash} from 'node:crypto';
import {formatAmount} from '../../core/format.ts';
import type {ToolDefinition} from '../../core/session/tool.ts';
import {renameProperties} from '../schema/argument-names.ts';
import {plainSchema} from '../schema/plain-schema.ts';
import {learnToolLimit} from '../tool-limits.ts';
import {describeTool, isOfServer, type Repair, type RequestDraft, type SentTool, toolKey} from './repair.ts';

/** What hosts with the strictest rules accept as the name of a property. */
const plainName = /^[a-zA-Z_][a-zA-Z0-9_]{0,39}$/;

/** Returns a function that changes tools, each definition once, so that the same request has the same ones. */
function eachTool(change: (tool: SentTool) => SentTool, isMeant: (tool: SentTool) => boolean = () => true) {
	const changed = new WeakMap<SentTool, SentTool>();
	const once = (tool: SentTool) => {
		const known = changed.get(tool) ?? change(tool);
		changed.set(tool, known);
		return known;
	};
	return (draft: RequestDraft): RequestDraft => {
		const tools = draft.tools.map(tool => (isMeant(tool) ? once(tool) : tool));
		return tools.every((tool, index) => tool === draft.tools[index]) ? draft : {...draft, tools};
	};
}

/** Returns the sentence that begins what the user is told of a schema. */
function refusedSchema(tool: ToolDefinition | undefined): string {
	return tool
		? `The host refused the arguments of ${describeTool(tool)}.`
		: 'The host refused the arguments of a tool.';
}

/** Describes arguments in the few keywords and names that every host takes. `named` is the tool that the refusal names. */
export function plainArguments(which: 'servers' | 'all', named: ToolDefinition | undefined): Repair {
	return {
		id: `plain arguments of ${which}`,
		what: 'the arguments of tools in all their detail',
		notice: {text: `${refusedSchema(named)} Arguments are now described in a simpler form.`},
		inDraft: eachTool(
			tool => {
				const plain = plainSchema(tool.given.parameters);
				const renamed = renameProperties(plain, plainName, tool.given.parameters);
				const parameters = renamed?.schema ?? plain;
				const description = isOfServer(tool.given) ? tool.description.slice(0, 1000) : tool.description;
				const isSame = JSON.stringify(parameters) === JSON.stringify(tool.parameters);
				return isSame && description === tool.description
					? tool
					: {...tool, description, parameters, argumentNames: renamed?.names};
			},
			tool => which === 'all' || isOfServer(tool.given),
		),
	};
}

/** Sends arguments under names of letters, digits and underscores. Calls have the real ones again. */
export function plainArgumentNames(named: ToolDefinition | undefined): Repair {
	return {
		id: 'plain names of arguments',
		what: 'names of arguments',
		notice: {text: `${refusedSchema(named)} Arguments with unusual names are sent under simpler ones.`},
		inDraft: eachTool(tool => {
			const renamed = renameProperties(tool.parameters, plainName);
			return renamed ? {...tool, parameters: renamed.schema, argumentNames: renamed.names} : tool;
		}),
	};
}

/** Sends tools under unique names of letters, digits and underscores, at most `length` of them. Calls have the real ones again. */
export function plainToolNames(length: number): Repair {
	const sentNames = (draft: RequestDraft): RequestDraft => {
		const taken = new Set<string>();
		const tools = draft.tools.map(tool => {
			const {name} = tool.given;
			const plain = name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
			const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
			const isFree = plain.length <= length && !taken.has(plain.toLowerCase());
			const sent = isFree ? plain : `${plain.slice(0, length - 7)}_${hash}`;
			taken.add(sent.toLowerCase());
			return sent === tool.name ? tool : renamedTool(tool, sent);
		});
		return tools.every((tool, index) => tool === draft.tools[index]) ? draft : {...draft, tools};
	};
	return {
		id: `tool names of ${length}`,
		what: 'the name of a tool',
		notice: {text: 'The host refused the name of a tool. Tools are sent under simpler names.'},
		inDraft: sentNames,
	};
}

const renamedTools = new WeakMap<SentTool, Map<string, SentTool>>();

function renamedTool(tool: SentTool, name: string): SentTool {
	const known = renamedTools.get(tool) ?? new Map<string, SentTool>();
	renamedTools.set(tool, known);
	const renamed = known.get(name) ?? {...tool, name};
	known.set(name, renamed);
	return renamed;
}

/** Cuts the descriptions of tools. */
export function shortDescriptions(length: number): Repair {
	return {
		id: `descriptions of ${length}`,
		what: 'the length of a description',
		notice: {
			text: `The host refused the length of a tool's description. Descriptions are cut to ${length} characters.`,
		},
		inDraft: eachTool(tool =>
			tool.description.length > length ? {...tool, description: tool.description.slice(0, length)} : tool,
		),
	};
}

/** Leaves one tool out, until its definition changes. */
export function withoutTool({given}: SentTool): Repair {
	const key = toolKey(given);
	return {
		id: `without ${key}`,
		what: describeTool(given),
		inDraft(draft) {
			const tools = draft.tools.filter(tool => toolKey(tool.given) !== key);
			return tools.length === draft.tools.length ? draft : {...draft, tools};
		},
	};
}

/** Leaves all tools out. */
export function withoutTools(model: string): Repair {
	return {
		id: 'tools',
		what: 'tools',
		notice: {text: `${model} doesn't support tools. Continuing without them.`},
		inDraft: draft => (draft.tools.length > 0 ? {...draft, tools: [], fallbackTools: []} : draft),
	};
}

/** Sends at most so many tools of these: our own first, then the one that finds the others. */
export function fewerTools(limit: number, modelId: string, all: readonly SentTool[]): Repair {
	const ownCount = all.filter(({given}) => !isOfServer(given)).length;
	return {
		id: `at most ${limit} tools`,
		what: 'the number of tools',
		notice:
			ownCount < limit && ownCount < all.length
				? {
						text: `The host takes at most ${formatAmount(limit, 'tool')}. The model searches for the others.`,
						hint: 'Disconnect MCP servers that you don’t need: `mcp list`',
					}
				: {
						text: `The host takes at most ${formatAmount(limit, 'tool')}. It answers without the others.`,
						hint: 'Select a model of another host: `model use`',
					},
		inDraft(draft) {
			const {tools, fallbackTools} = draft;
			if (tools.length <= limit) {
				return draft;
			}

			learnToolLimit(modelId, draft.baseUrl, limit);
			const own = tools.filter(({given}) => !isOfServer(given));
			const rest = tools.filter(({given}) => isOfServer(given));
			return {...draft, tools: [...own, ...fallbackTools, ...rest].slice(0, limit)};
		},
	};
}
