import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import type {Message} from '../../core/session/message.ts';
import type {ToolDefinition} from '../../core/session/tool.ts';
import {at, listAt, textAt} from '../json-path.ts';
import {accepts, placeIn} from '../schema/accepts.ts';
import {readFunctionCalls} from './function-calls.ts';

/** A call as a model wrote it. Parameters that were tags are texts. */
type Written = {readonly name: string; readonly arguments: JsonObject; readonly isTagged: boolean};

/** A call that names a tool and fits its schema. */
export type WrittenCall = Pick<Written, 'name' | 'arguments'>;

/**
 * What the end of an answer is: calls that are exact, a call that can't be read, or a text that only shows one.
 */
export type CallReading = readonly WrittenCall[] | 'unreadable' | 'text';

/**
 * Reads calls that a model wrote as text at the end of its answer. They count only if nothing follows them, and each
 * names a tool and has arguments of its schema. `isWhole` is true if nothing precedes them in the answer.
 */
export function readWrittenCalls(held: string, tools: readonly ToolDefinition[], isWhole: boolean): CallReading {
	const text = plainMarks(held);
	const {calls, rest} = parseCalls(text);
	const exact = calls.map(call => exactCall(call, tools));
	if (rest === '' && calls.length > 0 && exact.every(call => call !== undefined)) {
		return exact;
	}

	if (isFollowed(text, calls.length > 0 ? rest : undefined)) {
		return 'text';
	}

	const isMarked = !/^(?:```|[[{]\s*["{]|\[\s*[\w.-]+\()/.test(text);
	const isOfTool = namesIn(text).some(name => tools.some(tool => tool.name === toolName(name)));
	return isOfTool || (isMarked && isWhole) ? 'unreadable' : 'text';
}

/**
 * Returns true if each line of a call stands in one result of a tool or message of the user: then the answer quotes it, and
 * a file or a page must not be able to call anything.
 */
export function isQuoted(call: string, messages: readonly Message[]): boolean {
	const lines = call.split('\n').flatMap(line => line.trim() || []);
	return messages.some(message => {
		const text = message.role === 'user' ? message.text : message.role === 'tool' ? message.output : '';
		return text !== '' && lines.every(line => text.includes(line));
	});
}

/** Marks with the bars and spaces of other alphabets, and with prefixes, in one form. */
function plainMarks(text: string): string {
	return text
		.trim()
		.replace(/<(\/?)[|\uFF5C]DSML[|\uFF5C]/g, '<$1')
		.replace(/<[|\uFF5C][^<>\s]{1,60}[|\uFF5C]>/g, token => token.replaceAll('\uFF5C', '|').replaceAll('▁', '_'))
		.replace(/<(\/?)TOOLCALL>|<(start|end)_function_call>|<\|(START|END)_ACTION\|>/gi, (_, slash = '', ...marks) =>
			slash || /end/i.test(marks.slice(0, 2).join('')) ? '</tool_call>' : '<tool_call>',
		)
		.replace(/<(\/?)[a-z]{1,12}:(?=tool_call|function_calls|invoke|parameter)/g, '<$1');
}

const noise =
	/^\s*(?:<\/?(?:tool_calls?|tool_use|function_calls?)>|<\|\/?(?:tool_calls?(?:_(?:section_)?(?:begin|start|end))?|python_tag|python_start|python_end|plugin|action_start|action_end|im_end|eot_id|eom_id|end_of_sentence|end|call|return|endoftext)\|?>|\[\/?TOOL_(?:CALLS?|REQUEST)\]|\[END_TOOL_REQUEST\]|<\/s>|```\w*)/;
const harmony =
	/^(?:<\|start\|>assistant)?(?:<\|channel\|>)?[^<]{0,80}\bto=(?:functions\.)?([\w.-]+)[^<]{0,80}(?:<\|channel\|>[^<]{0,80})?(?:<\|constrain\|>[^<]{0,40})?<\|message\|>/;
const opening = /^<(?:function=([\w.:-]+)|(?:function|invoke) name="([^"]+)")\s*>/;
const named =
	/^(?:function<\|tool_sep\|>)?(?:functions\.)?([\w.-]+?)(?::\d+)?\s*(?:\[CALL_ID\][\w-]+)?(?:\[ARGS\]|<\|tool_sep\|>|<\|tool_call_argument_begin\|>|(?=\s*```json)|(?=\s*\{))\s*(?:```json\s*)?(?=\{)/;
const pairs = /^([\w.-]+)\s*((?:<arg_key>[^<]*<\/arg_key>\s*<arg_value>[\s\S]*?<\/arg_value>\s*)+)/;

type Parsed = {readonly calls: readonly Written[]; readonly rest: string};

/** Reads calls up to the first thing that is none; `rest` begins with that. */
function parseCalls(text: string): Parsed {
	const calls: Written[] = [];
	let rest = text;
	for (;;) {
		for (let match = noise.exec(rest); match; match = noise.exec(rest)) {
			rest = rest.slice(match[0].length);
		}

		rest = rest.trim();
		const next = rest === '' ? undefined : parseCall(rest);
		if (!next) {
			return {calls, rest};
		}

		calls.push(...next.calls);
		rest = next.rest;
	}
}

function parseCall(text: string): Parsed | undefined {
	const header = harmony.exec(text) ?? named.exec(text);
	if (header?.[1] !== undefined) {
		const value = readJson(text.slice(header[0].length).trimStart());
		return value && isJsonObject(value.value)
			? {calls: [{name: header[1], arguments: value.value, isTagged: false}], rest: value.rest}
			: undefined;
	}

	const start = opening.exec(text);
	if (start) {
		return parseTagged(text, start[1] ?? start[2] ?? '', start[0].length);
	}

	const [whole, name, list] = pairs.exec(text) ?? [];
	if (whole !== undefined && name !== undefined && list !== undefined) {
		const entries = [...list.matchAll(/<arg_key>([^<]*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g)];
		const args = Object.fromEntries(entries.map(([, key = '', value = '']) => [key.trim(), value]));
		return {calls: [{name, arguments: args, isTagged: true}], rest: text.slice(whole.length)};
	}

	const json = readJson(text);
	const calls = json && callsIn(json.value);
	if (json && calls) {
		return {calls, rest: json.rest};
	}

	const coded = readFunctionCalls(text);
	return coded && {calls: coded.calls.map(each => ({...each, isTagged: false})), rest: coded.rest};
}

/** Reads `<function=name>` or `<invoke name="name">` up to its end: parameters as tags, or one JSON object. */
function parseTagged(text: string, name: string, from: number): Parsed | undefined {
	const close = text.startsWith('<invoke') ? '</invoke>' : '</function>';
	const end = text.indexOf(close, from);
	if (end < 0) {
		return undefined;
	}

	const inside = text.slice(from, end).trim();
	const rest = text.slice(end + close.length);
	const json = inside.startsWith('{') ? parseJson(inside) : undefined;
	if (isJsonObject(json)) {
		return {calls: [{name, arguments: json, isTagged: false}], rest};
	}

	const parameter = /\s*<parameter(?:=([\w.-]+)|\s+name="([^"]+)"[^>]*)>([\s\S]*?)<\/parameter>\s*/y;
	const args: Record<string, string> = {};
	for (let match = parameter.exec(inside); match; match = parameter.exec(inside)) {
		args[match[1] ?? match[2] ?? ''] = (match[3] ?? '').replace(/^\n|\n$/g, '');
		if (parameter.lastIndex === inside.length) {
			return {calls: [{name, arguments: args, isTagged: true}], rest};
		}
	}

	return inside === '' ? {calls: [{name, arguments: {}, isTagged: true}], rest} : undefined;
}

/** Reads the JSON that a text begins with; undefined if it isn't complete. */
function readJson(text: string): {readonly value: Json; readonly rest: string} | undefined {
	let depth = 0;
	for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
		depth += match[0] === '{' || match[0] === '[' ? 1 : match[0] === '}' || match[0] === ']' ? -1 : 0;
		if (depth <= 0) {
			const end = match.index + match[0].length;
			const value = parseJson(text.slice(0, end));
			return value === undefined ? undefined : {value, rest: text.slice(end)};
		}
	}

	return undefined;
}

/** Returns the calls that JSON is; undefined if it is anything else. */
function callsIn(value: Json): readonly Written[] | undefined {
	const list = Array.isArray(value) ? value : listAt(value, 'tool_calls');
	const items = list.length > 0 ? list : [value];
	const calls = items.map(item => {
		const call = isJsonObject(at(item, 'function')) ? at(item, 'function') : item;
		const name = textAt(call, 'name') || textAt(call, 'tool') || textAt(call, 'tool_name') || textAt(call, 'function');
		const given = ['arguments', 'parameters', 'args', 'input']
			.map(key => at(call, key))
			.find(each => each !== undefined);
		const args = typeof given === 'string' ? parseJson(given) : given;
		return name && isJsonObject(args) ? {name, arguments: args, isTagged: false} : undefined;
	});
	return calls.every(call => call !== undefined) ? calls : undefined;
}

function toolName(name: string): string {
	return name.replace(/^functions\./, '');
}

/** Returns the names of functions that a text has. */
function namesIn(text: string): readonly string[] {
	const found = text.matchAll(
		/(?:function=|name="|"(?:name|tool|tool_name|function)"\s*:\s*"|\bto=|_begin\|>|_sep\|>|\[TOOL_CALLS\]|<tool_call>|\bcall:)\s*([\w.-]+)/g,
	);
	const functions = text.matchAll(/(?:^|[[\s(,.])([\w-]+)\(/g);
	return [...found, ...functions].flatMap(([, name]) => name ?? []);
}

/** Returns true if an answer goes on behind the marks of its calls: it only shows them. */
function isFollowed(text: string, rest: string | undefined): boolean {
	if (rest !== undefined) {
		return /^[\p{L}\p{N}*#>-]/u.test(rest);
	}

	const ends = [...text.matchAll(/<\/(?:tool_calls?|function_calls?|function|invoke)>|_end\|>|\[END_TOOL_REQUEST\]/g)];
	const last = ends.at(-1);
	return last !== undefined && /^[\p{L}\p{N}*#>-]/u.test(text.slice(last.index + last[0].length).trim());
}

/** Returns a call with the arguments that its tool takes; undefined if no tool has its name, or they don't fit. */
function exactCall(
	{name, arguments: given, isTagged}: Written,
	tools: readonly ToolDefinition[],
): WrittenCall | undefined {
	const tool = tools.find(each => each.name === name) ?? tools.find(each => each.name === toolName(name));
	if (!tool) {
		return undefined;
	}

	const args = isTagged ? typed(given, tool.parameters) : given;
	return accepts(args, tool.parameters, placeIn(tool.parameters, true))
		? {name: tool.name, arguments: args}
		: undefined;
}

/** Returns arguments that were tags with the types that the schema gives them. */
function typed(args: JsonObject, schema: JsonObject): JsonObject {
	return Object.fromEntries(
		Object.entries(args).map(([key, value]) => {
			const types = [at(schema, 'properties', key, 'type')].flat();
			const parsed = types.includes('string') || typeof value !== 'string' ? undefined : parseJson(value.trim());
			return [key, parsed ?? value];
		}),
	);
}
