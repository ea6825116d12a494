import {readsFiles} from '../../core/session/call-words.ts';
import type {Message} from '../../core/session/message.ts';
import type {ToolDefinition} from '../../core/session/tool.ts';
import {tokensOf, tokensOfDefinitions, tokensOfMessages} from '../request-usage.ts';

/** What fills the context window of a model. */
type Request = {
	/** The system prompt, with the text of the instruction files and the list of skills. */
	readonly system: string;
	/** The text of the instruction files alone. */
	readonly instructions: string;
	/** The names and descriptions of skills alone. */
	readonly skills: string;
	readonly tools: readonly ToolDefinition[];
	readonly messages: readonly Message[];
	/** The tokens of all of it as last reported; 0 if no request was made. */
	readonly usedTokens: number;
};

export type WindowPart = 'system' | 'instructions' | 'skills' | 'tools' | 'mcp' | 'files' | 'results' | 'conversation';

/** A result that takes much of the window. */
type LargeResult = {readonly name: string; readonly tokens: number};

export type Breakdown = {
	readonly tokens: Readonly<Record<WindowPart, number>>;
	readonly total: number;
	/** The largest results of tools, the largest first. */
	readonly largest: readonly LargeResult[];
};

const mostLarge = 3;

/** True for a tool of an MCP server, and for the one that finds such tools. */
const isOfMcp = ({name}: ToolDefinition) => name.startsWith('mcp__') || name === 'search_tools';

/**
 * Returns how the tokens of the context window are used. The provider reports their sum only, so that the parts are
 * estimated and then made to add up to it.
 */
export function breakDown({system, instructions, skills, tools, messages, usedTokens}: Request): Breakdown {
	const results = messages.flatMap(message =>
		message.role === 'tool' ? [{name: message.name, tokens: tokensOfMessages([message])}] : [],
	);
	const sum = (found: readonly LargeResult[]) => found.reduce((total, {tokens}) => total + tokens, 0);
	const ofInstructions = tokensOf(instructions);
	const ofSkills = tokensOf(skills);
	const estimated: Record<WindowPart, number> = {
		system: Math.max(0, tokensOf(system) - ofInstructions - ofSkills),
		instructions: ofInstructions,
		skills: ofSkills,
		tools: tokensOfDefinitions(tools.filter(tool => !isOfMcp(tool))),
		mcp: tokensOfDefinitions(tools.filter(isOfMcp)),
		files: sum(results.filter(({name}) => readsFiles(name))),
		results: sum(results.filter(({name}) => !readsFiles(name))),
		conversation: tokensOfMessages(messages.filter(({role}) => role !== 'tool')),
	};
	const guess = Object.values(estimated).reduce((total, tokens) => total + tokens, 0);
	const total = usedTokens || guess;
	const scaled = (tokens: number) => Math.round((tokens * total) / (guess || 1));
	return {
		tokens: {
			system: scaled(estimated.system),
			instructions: scaled(estimated.instructions),
			skills: scaled(estimated.skills),
			tools: scaled(estimated.tools),
			mcp: scaled(estimated.mcp),
			files: scaled(estimated.files),
			results: scaled(estimated.results),
			conversation: scaled(estimated.conversation),
		},
		total,
		largest: results
			.map(({name, tokens}) => ({name, tokens: scaled(tokens)}))
			.toSorted((a, b) => b.tokens - a.tokens)
			.slice(0, mostLarge),
	};
}
