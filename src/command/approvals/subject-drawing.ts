import type {Act} from '../../core/session/approval.ts';
import {countBlankLines, countBlanks} from '../../terminal/text/blanks.ts';
import type {SubjectDrawing} from '../../terminal/text/drawing.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import {createPalette, type Palette} from '../../terminal/text/style.ts';
import {truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

type Command = Extract<Act, {kind: 'command'}>;
type Fetch = Extract<Act, {kind: 'fetch'}>;
type AgentCall = Extract<Act, {kind: 'agent'}>;
type McpCall = Extract<Act, {kind: 'mcp'}>;

/** Returns how a command is drawn: whole, with the signs of a shell, `$` before its first line and `>` before others. */
export function drawingOfCommand(command: string, isEdited: boolean): SubjectDrawing {
	const lines = countBlankLines(shownText(command).split('\n'));
	const title = isEdited ? 'Your command' : 'Command';
	return drawing(title, ({width, palette}) =>
		lines.flatMap((line, index) =>
			wrapLine(palette.label(line), width, {first: palette.dim(index === 0 ? '$ ' : '> '), rest: '  ', hard: true}),
		),
	);
}

/** Returns how a request is drawn: its method and its whole URL, with the host in front. */
export function drawingOfFetch({method, url}: Fetch): SubjectDrawing {
	const [, before = '', host = '', after = ''] = /^([a-z]+:\/\/(?:[^@/]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
	return drawing('Request', ({width, palette}) => {
		const shown = host ? before + palette.label(shownText(host)) + shownText(after) : shownText(url);
		return wrapLine(`${shownText(method)} ${shown}`, width, {rest: '  ', hard: true});
	});
}

/** Returns how a text in words is drawn, such as a plan: whole. */
export function drawingOfText(title: string, text: string): SubjectDrawing {
	const shown = shownText(text);
	return drawing(title, ({width}) => wrapLine(shown, width));
}

/** Returns how a call of an MCP tool is drawn: the names, and its arguments, whole. */
export function drawingOfCall({server, tool, arguments: args}: McpCall): SubjectDrawing {
	const lines = shownText(JSON.stringify(args, undefined, 2)).split('\n');
	return drawing('Tool', ({width, palette}) => [
		...wrapLine(`${palette.label(shownText(server))}: ${shownText(tool)}`, width, {rest: '  ', hard: true}),
		...lines.flatMap(line => wrapLine(line, width, {rest: '    ', hard: true})),
	]);
}

/** Returns how what another agent asks for is drawn: its command or its title, its files and its arguments, whole. */
export function drawingOfAgent({agent, title, command, paths, arguments: args}: AgentCall): SubjectDrawing {
	const {command: _, ...others} = args;
	const rest = command === undefined ? args : others;
	const shown = [
		...shownText(command ?? title).split('\n'),
		...paths.map(shownText),
		...(Object.keys(rest).length > 0 ? shownText(JSON.stringify(rest, undefined, 2)).split('\n') : []),
	];
	return drawing(`${shownText(agent)} says`, ({width, palette}) =>
		countBlankLines(shown).flatMap((line, index) =>
			wrapLine(index === 0 ? palette.label(line) : line, width, {rest: '    ', hard: true}),
		),
	);
}

/** Returns what the user should know about a command: its folder if it is another one, and characters that hide something. */
export function factsOfCommand(
	{command, folder}: Command,
	workspace: string,
): ReadonlyArray<readonly [string, string]> {
	const word = lookAlikeIn(command);
	return [
		...(word === undefined ? [] : [['Note', `It has letters that look like others: ${spelledOut(word)}`] as const]),
		...(folder === workspace ? [] : [['Folder', folder] as const]),
		...(hidesCharacters(command)
			? [['Note', 'It has control or invisible characters, shown like ␛ or ⟨U+202E⟩.'] as const]
			: []),
	];
}

/** Returns the facts about a request without what its drawing shows: the same method and URL. */
export function factsOfFetch(
	{method, url}: Fetch,
	facts: ReadonlyArray<readonly [string, string]>,
): ReadonlyArray<readonly [string, string]> {
	return facts.filter(([label, value]) => label !== 'Request' || value !== `${method} ${url}`);
}

/** True if a text has characters that a terminal obeys or a reader can't see. */
function hidesCharacters(text: string): boolean {
	return exactText(text) !== text;
}

/** Returns safe text that shows every character but LF and TAB: a shell reads CR as a part of a word. */
function exactText(text: string): string {
	return safeText(text.replaceAll('\r', '␍'));
}

/** Returns the same with long runs of blanks counted: what stands behind them would be out of sight. */
function shownText(text: string): string {
	return exactText(countBlanks(text));
}

type Style = {readonly width: number; readonly palette: Palette};

function drawing(title: string, draw: (style: Style) => readonly string[]): SubjectDrawing {
	let drawn: (Style & {readonly rows: readonly string[]}) | undefined;
	const rowsAt = (style: Style) => {
		if (drawn?.width !== style.width || drawn.palette !== style.palette) {
			drawn = {...style, rows: draw(style)};
		}

		return drawn.rows;
	};

	return {
		title: ({width, palette}) => truncate(palette.dim(title), width),
		window({rows, offset = 0, ...style}) {
			const all = rowsAt(style);
			// A row is kept free for telling what is left out.
			const shown = all.length <= rows ? all : all.slice(offset, offset + Math.max(1, rows - 1));
			return {shown, leftOut: all.length - shown.length};
		},
		rows: (width, maxLines) => Math.min(maxLines, rowsAt({width, palette: createPalette({color: false})}).length),
	};
}

/** Letters that look like Latin ones, in words of their own: those of Cyrillic, Greek and Armenian. */
const looksLatin =
	/^[\u0430\u0435\u043E\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u04BB\u04CF\u051B\u051D\u03BF\u03BD\u03B1\u0585\u0570\u057D]+$/iu;

/** Letters and signs that stand for ASCII ones: full width, and those of mathematics. */
const styled = /[\uFF01-\uFF5E\u{1D400}-\u{1D7FF}\u2215\u2044\u2024\uA789\u02D0]/u;

const otherScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Returns the first word whose letters may be taken for others; undefined if there is none. */
export function lookAlikeIn(text: string): string | undefined {
	return text.match(/[\p{L}\p{M}\p{N}_.\u2215\u2044\uFF01-\uFF5E-]+/gu)?.find(word => {
		const isMixed = /\p{Script=Latin}/u.test(word) && otherScripts.test(word);
		return isMixed || styled.test(word) || looksLatin.test(word);
	});
}

/** Returns a word with the code of each letter that isn't ASCII. */
export function spelledOut(word: string): string {
	return Array.from(word, letter =>
		letter <= '\u007F'
			? letter
			: `${letter}⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
	).join('');
}
