import {textWidth, truncate} from '../text/width.ts';
import {wrapLine} from '../text/wrap.ts';
import {createLineHighlighter} from './highlight.ts';
import type {MarkdownOptions} from './markdown-options.ts';

/** A fenced code block while its lines are drawn, one after the other. */
export type Fence = {
	/** The rule above the code, with the name of the language. */
	readonly header: string;
	/** The rule below it. */
	readonly footer: string;
	/** True for the line of the source that closes the fence. */
	readonly isEnd: (line: string) => boolean;
	/** Draws a line of the source; a long one is broken hard, because code is copied with the mouse. */
	readonly renderLine: (line: string) => readonly string[];
	/** Draws the beginning of the next line, without going on. */
	readonly peekLine: (line: string) => readonly string[];
};

const opener = /^( {0,3})(`{3,}|~{3,})([^\n]*)/;
const longestRule = 40;

/** True where a block of code is fenced rather than indented. */
export function isFence(raw: string): boolean {
	return opener.test(raw);
}

/**
 * Begins a fenced block with the line that opens it, or a block of code without one (`line` is then empty). Its lines are
 * as wide as `options` say when they are drawn.
 */
export function openFence(line: string, options: MarkdownOptions): Fence {
	const {palette} = options;
	const [, indent = '', marker = '', info = ''] = opener.exec(line) ?? [];
	const language = /^\s*([^\s{,]*)/.exec(info)?.[1] ?? '';
	const ruleOf = () => '─'.repeat(Math.min(options.width, longestRule));
	const rule = ruleOf();
	const label = truncate(language, rule.length - 4);
	const highlighter = createLineHighlighter(language, palette);
	const end = marker ? new RegExp(`^ {0,3}${marker}${marker.charAt(0)}* *$`) : undefined;
	const stripped = new RegExp(`^ {0,${indent.length}}`);
	return {
		header: palette.dim(label ? `── ${label} ${rule.slice(textWidth(label) + 4)}` : rule),
		get footer() {
			return palette.dim(ruleOf());
		},
		isEnd: text => end?.test(text) ?? false,
		renderLine: text => wrapLine(highlighter.next(text.replace(stripped, '')), options.width, {hard: true}),
		peekLine: text => wrapLine(highlighter.peek(text.replace(stripped, '')), options.width, {hard: true}),
	};
}

/** Draws a whole block of code, closed or not. `text` is the code alone, used where the block is indented. */
export function renderCode(raw: string, text: string, options: MarkdownOptions): readonly string[] {
	const [first = '', ...rest] = raw.split('\n');
	const fenced = isFence(raw);
	const fence = openFence(fenced ? first : '', options);
	const source = fenced ? rest : text.replace(/\n+$/, '').split('\n');
	const end = source.findIndex(line => fence.isEnd(line));
	const lines = end === -1 ? source : source.slice(0, end);
	if (fenced && end === -1 && lines.at(-1) === '') {
		lines.pop();
	}

	return [fence.header, ...lines.flatMap(line => fence.renderLine(line)), fence.footer];
}
