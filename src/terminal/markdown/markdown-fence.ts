import {markEnds} from '../text/mark-ends.ts';
import {lineWidth, textWidth, truncate} from '../text/width.ts';
import {softWrap, wrapLine} from '../text/wrap.ts';
import {createLineHighlighter} from './highlight.ts';
import type {MarkdownOptions} from './markdown-options.ts';

/** A fenced code block that is drawn line by line. */
export type Fence = {
	/** The rule above the code, with the name of the language. */
	readonly header: string;
	/** The rule below it, as wide as the code that was drawn. */
	readonly footer: string;
	/** True for the line of the source that closes the fence. */
	readonly isEnd: (line: string) => boolean;
	/** Draws a line of the source; a long one is broken hard, because users copy code with the mouse. */
	readonly renderLine: (line: string) => readonly string[];
	/** Draws the beginning of the next line, which may still grow. */
	readonly peekLine: (line: string) => readonly string[];
};

const opener = /^( {0,3})(`{3,}|~{3,})([^\n]*)/;
const headerCells = 4;

/** True for a fenced block of code, false for an indented one. */
export function isFence(raw: string): boolean {
	return opener.test(raw);
}

/**
 * Opens a fenced block with its first line, or an indented block if `line` is empty. Reads the width from `options` for
 * each line.
 */
export function openFence(line: string, options: MarkdownOptions): Fence {
	const {palette} = options;
	const [, indent = '', marker = '', info = ''] = opener.exec(line) ?? [];
	const language = /^\s*([^\s{,]*)/.exec(info)?.[1] ?? '';
	const label = truncate(language, options.width - headerCells - 1);
	// Of the code nothing is known yet when the header is written.
	const header = label ? `── ${label} ─` : '─'.repeat(headerCells);
	let widest = textWidth(header);
	const highlighter = createLineHighlighter(language, palette);
	const end = marker ? new RegExp(`^ {0,3}${marker}${marker.charAt(0)}* *$`) : undefined;
	const stripped = new RegExp(`^ {0,${indent.length}}`);
	return {
		header: palette.dim(palette.spoken ? `Code${language ? ` in ${language}` : ''}:` : header),
		get footer() {
			return palette.dim(palette.spoken ? 'End of code.' : '─'.repeat(Math.min(options.width, widest)));
		},
		isEnd: text => end?.test(text) ?? false,
		renderLine(text) {
			const rows = wrapCode(highlighter.next(text.replace(stripped, '')), options);
			widest = rows.reduce((most, row) => Math.max(most, lineWidth(row)), widest);
			return rows;
		},
		peekLine: text => wrapCode(highlighter.peek(text.replace(stripped, '')), {...options, softWraps: false}),
	};
}

function wrapCode(line: string, {width, palette, softWraps}: MarkdownOptions): readonly string[] {
	return markEnds(softWraps ? softWrap(line, width) : wrapLine(line, width, {hard: true}), palette);
}

/** Draws a whole block of code, closed or not. `text` is the code alone, for an indented block. */
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
