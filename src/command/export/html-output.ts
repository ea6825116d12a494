import type {RecordedOutput} from '../../core/output/recorded-output.ts';
import {hideStyled, readStyles} from '../../core/output/text-styles.ts';
import {applySgr, plain} from '../../terminal/text/sgr.ts';
import {escapeHtml} from './markdown-html.ts';

/**
 * Returns an output of a command for HTML, with its colours as classes of the page's style. `hide` makes the text safe,
 * line by line.
 */
export function outputBlock({output, styles}: RecordedOutput, hide: (text: string) => string): string {
	const {text, styles: ranges} = hideStyled({text: output, styles: readStyles(styles)}, hide);
	const parts: string[] = [];
	let at = 0;
	for (const {start, end, codes} of ranges) {
		const part = escapeHtml(text.slice(start, end));
		const classes = classesOf(codes);
		parts.push(escapeHtml(text.slice(at, start)), classes ? `<span class="${classes}">${part}</span>` : part);
		at = end;
	}

	return `<div class="code"><pre><code>${parts.join('')}${escapeHtml(text.slice(at))}</code></pre></div>`;
}

/** A bright colour is as its ordinary one. On a background, text is in the colour of the page, so that it can be read. */
function classesOf(codes: string): string {
	const {color, background, inverse, ...attributes} = applySgr(plain, codes);
	const behind = inverse ? (color ?? 'text') : background;
	const hue = (index: number | 'text') => (index === 'text' ? 7 : index % 8);
	return [
		behind === undefined ? color !== undefined && `f${hue(color)}` : `g${hue(behind)}`,
		...Object.entries(attributes).map(([name, isOn]) => isOn && name),
	]
		.filter(Boolean)
		.join(' ');
}
