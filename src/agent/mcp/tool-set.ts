import * as z from 'zod/mini';
import type {Tool} from '../../core/session/tool.ts';
import {tokensOfDefinitions} from '../request-usage.ts';
import {defineTool} from '../tools/define-tool.ts';

/** The share of the context window that the definitions of MCP tools may take. */
const maxShare = 0.1;
/** The window of a model whose own is unknown, in tokens. */
const usualWindow = 128_000;
const maxFound = 8;
/** Most tools that a search makes available; the oldest ones are hidden again. */
const maxLoaded = 40;

/** The tools of servers, in the form in which a request carries them. */
export type ToolSet = {
	/**
	 * Returns the tools whose definitions a request carries: all if they take a tenth of the window or less and there is room
	 * for them, else those that the model searched for, and the tool to search with. `size` is the window in tokens, `room` the
	 * most definitions beside our own that the host takes.
	 */
	readonly shown: (tools: readonly Tool[], size: number | undefined, room?: number) => readonly Tool[];
	/** Returns every tool that a call may name. */
	readonly callable: (tools: readonly Tool[]) => readonly Tool[];
	/** Hides again what was searched for, when another session begins. */
	readonly reset: () => void;
};

export function createToolSet(): ToolSet {
	let all: readonly Tool[] = [];
	let loaded: readonly string[] = [];
	const search = createSearchTools({
		tools: () => all,
		load(names) {
			loaded = [...new Set([...loaded.filter(name => !names.includes(name)), ...names])].slice(-maxLoaded);
		},
	});
	const fallback: Tool = {...search, isFallback: true};
	return {
		shown(tools, size = usualWindow, room = Number.POSITIVE_INFINITY) {
			all = tools;
			if (tokensOfDefinitions(tools) <= size * maxShare && tools.length <= room) {
				return tools.length > 1 ? [...tools, fallback] : tools;
			}

			// Those that were searched for come last, in that order: what is before them stays in the provider's cache.
			const searched = loaded.flatMap(name => tools.find(tool => tool.name === name) ?? []);
			return [search, ...searched.slice(-Math.max(1, room - 1))];
		},
		callable(tools) {
			all = tools;
			return tools.length > 0 ? [...tools, search] : [];
		},
		reset() {
			loaded = [];
		},
	};
}

type Found = {readonly tools: () => readonly Tool[]; readonly load: (names: readonly string[]) => void};

function createSearchTools({tools, load}: Found): Tool {
	return defineTool({
		name: 'search_tools',
		description:
			'Finds tools of the connected MCP servers, which are too many to be listed here. Call it before you say that ' +
			'something is impossible. The tools that it names can be called from then on.',
		readOnly: true,
		readOn: 'Search with more words for fewer tools.',
		arguments: z.strictObject({
			query: z
				.string()
				.check(z.minLength(1), z.maxLength(500), z.describe('Words for what the tool does, or for its server.')),
		}),

		async run({query}) {
			const found = rank(tools(), query).slice(0, maxFound);
			load(found.map(({name}) => name));
			if (found.length === 0) {
				const servers = [...new Set(tools().map(({name}) => name.split('__')[1]))].join(', ');
				return `No tool matches. Servers: ${servers}. Search for one of them, or with other words.`;
			}

			const shown = found.map(({name, description, parameters}) => ({name, description, parameters}));
			return `These tools can be called now:\n${JSON.stringify(shown, undefined, 1)}`;
		},
	});
}

/** Returns the tools that match, best first: a word in the name counts more than one in the description. */
function rank(tools: readonly Tool[], query: string): readonly Tool[] {
	const words = [...new Set(wordsOf(query))];
	const scored = tools.map(tool => {
		const name = new Set(wordsOf(tool.name));
		const description = new Set(wordsOf(tool.description));
		const score = words.reduce((sum, word) => sum + (name.has(word) ? 3 : 0) + (description.has(word) ? 1 : 0), 0);
		return {tool, score};
	});
	return scored
		.filter(({score}) => score > 0)
		.toSorted((one, other) => other.score - one.score)
		.map(({tool}) => tool);
}

/** Returns the words of a text in lower case, without the ending of a plural. */
function wordsOf(text: string): readonly string[] {
	const spaced = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
	return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map(word => (word.length > 3 ? word.replace(/s$/, '') : word));
}
