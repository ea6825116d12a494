const name = String.raw`[\w.:-]{1,128}`;
/** What models write around calls, each family in its own form: tags, tokens between bars (also wide ones), and brackets. */
const wrapper = [
	'<(?:[a-z]{1,12}:)?(?:tool_?calls?|tool_use|function_calls?|start_function_call)>',
	'<[|\uFF5C](?:tool[_▁]calls?(?:[_▁](?:section[_▁])?(?:begin|start))?|python_tag|python_start|plugin|action_start|start_action)[|\uFF5C]?>',
	'<[|\uFF5C]DSML[|\uFF5C]function_calls>',
	String.raw`\[TOOL_(?:CALLS?|REQUEST)\]`,
].join('|');
const opener = `<(?:[|\uFF5C]DSML[|\uFF5C]|[a-z]{1,12}:)?(?:function=${name}>|(?:function|invoke) name="${name}")`;
/** What follows a wrapper: JSON, a function, or the name of a tool before its arguments. */
const body = String.raw`(?:[[{]|${opener}|(?:call:|functions?[.<])?${name}\s*(?:\[|\{|<|\(|\n\s*[{<]))`;

const callMark = new RegExp(`^(?:${wrapper}|${opener})`, 'i');
const callStart = new RegExp(String.raw`^(?:${opener}|(?:(?:${wrapper})\s*)+${body})`, 'i');
const callStartSoFar = new RegExp(String.raw`^(?:(?:${wrapper})\s*)+(?:<[^<>]{0,140}|[\w.:-]{0,128}\s*)$`, 'i');
/** A mark that isn't complete: a tag without its end. */
const markSoFar =
	/^(?:<\|channel>[a-z]{0,7}|<[/|\uFF5C]?[\w▁|\uFF5C:.="-]{0,150}(?: [\w:.="-]{0,150})?|\[\/?[A-Z_]{0,16}|\u25C1\/?[a-z]{0,10})$/i;

const bareKey = 'name|function|tool|tool_name|tool_calls|type|id|arguments|parameters|args|input';
/** The name of a function before its arguments. */
const functionName = '[a-zA-Z_][\\w.-]{0,128}';
/** A call without any mark, alone or in a fence: as JSON, as a list of functions, or as the code that Gemma writes. */
const bareCall = new RegExp(
	[
		String.raw`^(?:\`\`\`\w{0,12}\s+)?\[?\s*\{\s*"(?:${bareKey})"\s*:`,
		String.raw`^\[\s*${functionName}\(\s*(?:\w{1,64}\s*=|\)\s*[,\]])`,
		String.raw`^\`\`\`tool_code\s+(?:print\(\s*)?${functionName}\(`,
	].join('|'),
);
const bareCallSoFar = new RegExp(
	[
		String.raw`^(?:\`{1,2}|\`\`\`\w{0,12}\s*|(?:\`\`\`\w{0,12}\s+)?(?:\[\s*)?(?:\{\s*(?:"\w{0,12}"?\s*)?)?)$`,
		String.raw`^\[\s*${functionName}(?:\(\s*(?:\w{0,64}\s*|\)\s*))?$`,
		String.raw`^\`\`\`tool_code\s+(?:print\(\s*)?(?:${functionName})?$`,
	].join('|'),
);

/** True for a text that begins with what models write before a call. */
export function isCallMark(text: string): boolean {
	return callMark.test(text);
}

/** True for a mark with the beginning of a call behind it. */
export function beginsCall(text: string): boolean {
	return callStart.test(text);
}

/** True for a mark behind which a call may still begin. */
export function mayBeginCall(text: string): boolean {
	return callStartSoFar.test(text);
}

/** True for the beginning of a mark of any kind. */
export function mayBecomeMark(text: string): boolean {
	return markSoFar.test(text);
}

/** True for JSON that begins as a call does, alone or in a fence. */
export function isBareCall(text: string): boolean {
	return bareCall.test(text);
}

export function mayBecomeBareCall(text: string): boolean {
	return bareCallSoFar.test(text);
}

/** Finds where a growing Markdown text is code, so that a tag that an answer only quotes stays a part of it. */
export type CodeMarks = {
	/** Adds the next piece of the text. */
	readonly add: (text: string) => void;
	/** Returns whether the next character would be in a fence, or behind an open code span of its line. */
	readonly isCode: () => boolean;
};

/** Most characters of a line that may be a fence with its language. */
const maxFence = 200;

export function createCodeMarks(): CodeMarks {
	/** The beginning of the current line. */
	let line = '';
	/** The fence that is open. */
	let fence = '';
	/** The number of backticks that opened the span of the current line, and of those at its end. */
	let span = 0;
	let run = 0;

	const endRun = () => {
		span = run === 0 ? span : span === 0 ? run : span === run ? 0 : span;
		run = 0;
	};
	const addToLine = (text: string) => {
		line += line.length < maxFence ? text.slice(0, maxFence - line.length) : '';
		if (run === 0 && !text.includes('`')) {
			return;
		}

		for (const [piece] of text.matchAll(/`+|[^`]+/g)) {
			if (piece.startsWith('`')) {
				run += piece.length;
			} else {
				endRun();
			}
		}
	};

	return {
		add(text) {
			const [first = '', ...others] = text.split('\n');
			addToLine(first);
			for (const next of others) {
				fence = fenceAfter(fence, line);
				line = '';
				span = 0;
				run = 0;
				addToLine(next);
			}
		},
		isCode() {
			endRun();
			return fence !== '' || fenceAfter('', line) !== '' || span > 0;
		},
	};
}

function fenceAfter(open: string, line: string): string {
	const [, fence = '', info = ''] = /^[\s>]*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
	if (open === '') {
		return info.includes('`') ? '' : fence;
	}

	return fence.startsWith(open) && info.trim() === '' ? '' : open;
}
