import {closeElement, openElement, type PageState} from './html-elements.ts';
import {leftOutElements} from './html-names.ts';
import {readHtml} from './html-tokens.ts';
import {createMarkdownWriter} from './markdown-writer.ts';

export type Page = {
	/** '' for none. */
	readonly title: string;
	readonly markdown: string;
	/** True if the page goes on. */
	readonly isCut: boolean;
};

/** A model reads far less of one page. */
const maxLength = 500_000;

/**
 * Returns a page as Markdown, without scripts, styles and navigation, and with absolute links. Takes any text, in linear
 * time: markup that is never closed only changes how the rest looks.
 */
export function htmlToMarkdown(html: string, address: string): Page {
	const page = convert(html, address, leftOutElements);
	// An element that is left out and never ends would hide the rest of the page.
	return page.markdown === '' && !page.isCut ? convert(html, address, new Set(['script', 'style'])) : page;
}

function convert(html: string, address: string, without: ReadonlySet<string>): Page {
	const writer = createMarkdownWriter(maxLength);
	const state: PageState = {
		...{writer, base: address, hidden: undefined, isTitle: false, title: '', addresses: 0},
		...{pre: 0, isPreBegun: false, lists: [], link: undefined, cells: 0, rows: 0},
	};
	readHtml(html, {
		open(name, attributes) {
			if (state.hidden) {
				state.hidden.depth += name === state.hidden.name ? 1 : 0;
			} else if (without.has(name)) {
				state.hidden = {name, depth: 1};
			} else {
				openElement(state, name, attributes);
			}
		},
		close(name) {
			if (!state.hidden) {
				closeElement(state, name);
			} else if (name === state.hidden.name && --state.hidden.depth === 0) {
				state.hidden = undefined;
			}
		},
		text(text) {
			if (state.isTitle) {
				state.title = (state.title + text).slice(0, 300);
			} else if (!state.hidden) {
				const isKept = state.pre > 0;
				writer.text(isKept && !state.isPreBegun ? text.replace(/^\r?\n/, '') : text, isKept);
				state.isPreBegun = true;
			}
		},
		isFull: writer.isFull,
	});
	return {title: state.title.replace(/\s+/g, ' ').trim(), markdown: writer.end(), isCut: writer.isFull()};
}
