import type {Json, JsonObject} from '../../core/json.ts';

/** A call in the form of a function, and what follows it. */
type FunctionCall = {readonly name: string; readonly arguments: JsonObject; readonly rest: string};

const functionName = /^(?:call:)?(?:(?:default_api|functions|tools)\.)?([\w-]+)\s*(?=[({])/;
/** Deeper values are no arguments. */
const maxDepth = 16;

/**
 * Reads calls as models write them that were taught to write code: `[name(key="value", other=3)]`, `print(name())` (Llama,
 * Gemma, LFM), and `call:name{key:<escape>value<escape>}` (FunctionGemma). Returns undefined if the text begins with
 * anything else.
 */
export function readFunctionCalls(
	text: string,
): {readonly calls: readonly Omit<FunctionCall, 'rest'>[]; readonly rest: string} | undefined {
	const [open = ''] = /^(?:\[|print\()\s*/.exec(text) ?? [];
	const calls: FunctionCall[] = [];
	let rest = text.slice(open.length);
	for (;;) {
		const call = readFunctionCall(rest);
		if (!call) {
			return undefined;
		}

		calls.push(call);
		rest = call.rest.trimStart();
		if (open.startsWith('[') && rest.startsWith(',')) {
			rest = rest.slice(1).trimStart();
			continue;
		}

		const close = open.startsWith('[') ? ']' : open ? ')' : '';
		return rest.startsWith(close)
			? {calls: calls.map(({rest: _, ...each}) => each), rest: rest.slice(close.length)}
			: undefined;
	}
}

function readFunctionCall(text: string): FunctionCall | undefined {
	const [header = '', name] = functionName.exec(text) ?? [];
	if (name === undefined) {
		return undefined;
	}

	const reader = createReader(text, header.length);
	const isBraced = text.charAt(header.length) === '{';
	const given = reader.entries(isBraced ? '{' : '(', isBraced ? '}' : ')', isBraced ? /:/y : /=/y, 0);
	return given && {name, arguments: given, rest: text.slice(reader.position())};
}

/** Creates a reader of literals of Python and JSON in a text, from a place on. Each function returns undefined for anything else. */
function createReader(text: string, from: number) {
	let at = from;
	const take = (pattern: RegExp): string | undefined => {
		pattern.lastIndex = at;
		const [found] = pattern.exec(text) ?? [];
		at += found?.length ?? 0;
		return found;
	};
	const skip = () => take(/\s*/y);
	const takeText = (mark: string): boolean => {
		const isThere = text.startsWith(mark, at);
		at += isThere ? mark.length : 0;
		return isThere;
	};

	const entries = (open: string, close: string, between: RegExp, depth: number): JsonObject | undefined => {
		const found: [string, Json][] = [];
		if (!takeText(open) || depth > maxDepth) {
			return undefined;
		}

		for (skip(); !takeText(close); skip()) {
			const key = take(/[A-Za-z_][\w-]*/y) ?? readString();
			skip();
			if (key === undefined || take(between) === undefined) {
				return undefined;
			}

			const value = readValue(depth + 1);
			if (value === undefined) {
				return undefined;
			}

			found.push([key, value]);
			skip();
			if (!takeText(',') && !text.startsWith(close, at)) {
				return undefined;
			}
		}

		return Object.fromEntries(found);
	};

	const readList = (depth: number): Json | undefined => {
		const found: Json[] = [];
		takeText('[');
		for (skip(); !takeText(']'); skip()) {
			const value = depth > maxDepth ? undefined : readValue(depth + 1);
			if (value === undefined) {
				return undefined;
			}

			found.push(value);
			skip();
			if (!takeText(',') && !text.startsWith(']', at)) {
				return undefined;
			}
		}

		return found;
	};

	const readString = (): string | undefined => {
		const escaped = take(/<escape>[\s\S]*?<escape>/y);
		if (escaped !== undefined) {
			return escaped.slice('<escape>'.length, -'<escape>'.length);
		}

		const long = take(/"""[\s\S]*?"""|'''[\s\S]*?'''/y);
		const short = long === undefined ? take(/"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y) : undefined;
		return long === undefined
			? short === undefined
				? undefined
				: withoutEscapes(short.slice(1, -1))
			: withoutEscapes(long.slice(3, -3));
	};

	const readValue = (depth: number): Json | undefined => {
		skip();
		if (text.charAt(at) === '{') {
			return entries('{', '}', /:/y, depth);
		}

		if (text.charAt(at) === '[') {
			return readList(depth);
		}

		const word = take(/(?:True|true|False|false|None|null)\b/y)?.toLowerCase();
		if (word !== undefined) {
			return word === 'true' ? true : word === 'false' ? false : null;
		}

		const number = take(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y);
		return number === undefined ? readString() : Number(number);
	};

	return {entries, position: () => at};
}

const escapes: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r', '\n': ''};

/** Returns the text that a literal stands for. An escape that Python doesn't know stays as it is. */
function withoutEscapes(literal: string): string {
	return literal.replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g, (all, long, short, letter) => {
		if (letter === undefined) {
			return String.fromCharCode(Number.parseInt(long ?? short, 16));
		}

		return escapes[letter] ?? (/["'\\]/.test(letter) ? letter : all);
	});
}
