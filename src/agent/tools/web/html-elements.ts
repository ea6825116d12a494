import {blockElements, emptyElements, spanMarks} from './html-names.ts';
import type {MarkdownWriter} from './markdown-writer.ts';

/** Most links and images; further ones are written as text. */
const maxAddresses = 10_000;
/** Deeper lists are not indented further. */
const maxDepth = 12;

/** How far a page was read. */
export type PageState = {
	readonly writer: MarkdownWriter;
	base: string;
	/** The element that is left out, and how often it was opened in itself. */
	hidden: {readonly name: string; depth: number} | undefined;
	isTitle: boolean;
	title: string;
	addresses: number;
	/** How many `pre` are open, and whether the text of the first one has begun: its first line end does not count. */
	pre: number;
	isPreBegun: boolean;
	/** For each open list its next number; 0 for bullets. */
	readonly lists: number[];
	/** Where the open link leads. */
	link: string | undefined;
	/** Cells of the current row, and whether the table has a row already. */
	cells: number;
	rows: number;
};

/** Writes the beginning of an element. */
export function openElement(state: PageState, name: string, attributes: ReadonlyMap<string, string>): void {
	const {writer, lists} = state;
	const block = blockElements.get(name);
	if (block && !(state.cells > 0 && name !== 'tr')) {
		writer.break(block === 2 && lists.length > 0 && (name === 'ul' || name === 'ol') ? 1 : block);
	}

	const heading = /^h([1-6])$/.exec(name);
	if (heading) {
		writer.mark(`${'#'.repeat(Number(heading[1]))} `);
	} else if (spanMarks.has(name) && state.pre === 0) {
		writer.openMark(spanMarks.get(name) ?? '');
	} else {
		openSpecial(state, name, attributes);
	}
}

function openSpecial(state: PageState, name: string, attributes: ReadonlyMap<string, string>): void {
	const {writer, lists} = state;
	switch (name) {
		case 'title':
			state.isTitle = true;
			break;
		case 'base':
			state.base = addressOf(attributes.get('href'), state) ?? state.base;
			break;
		case 'a':
			openLink(state, addressOf(attributes.get('href'), state));
			break;
		case 'img':
			writeImage(state, attributes);
			break;
		case 'br':
			writer.break(1);
			break;
		case 'hr':
			writer.mark('---');
			writer.break(2);
			break;
		case 'pre': {
			const language = /\blang(?:uage)?-([\w+#-]{1,30})/.exec(attributes.get('class') ?? '')?.[1] ?? '';
			state.pre++;
			if (state.pre === 1) {
				state.isPreBegun = false;
				writer.mark(`\`\`\`${language}`);
				writer.break(1);
			}

			break;
		}
		case 'blockquote':
			writer.indent('> ');
			break;
		case 'ul':
		case 'ol':
			lists.push(name === 'ol' ? 1 : 0);
			break;
		case 'li':
			openItem(state);
			break;
		case 'tr':
			state.cells = 0;
			break;
		case 'td':
		case 'th':
			writer.mark(state.cells === 0 ? '| ' : ' | ');
			state.cells++;
			break;
		default:
	}
}

function openItem({writer, lists}: PageState): void {
	const number = lists.at(-1) ?? 0;
	if (number > 0) {
		lists.splice(-1, 1, number + 1);
	}

	const depth = Math.min(Math.max(0, lists.length - 1), maxDepth);
	writer.mark(`${'  '.repeat(depth)}${number > 0 ? `${number}.` : '-'} `);
}

function openLink(state: PageState, href: string | undefined): void {
	closeLink(state);
	if (href) {
		state.link = href;
		state.writer.openMark('[');
	}
}

function closeLink(state: PageState): void {
	const {link, writer} = state;
	state.link = undefined;
	if (link) {
		writer.closeMark('[', `](${link})`);
	}
}

/** An image without a description says nothing here. */
function writeImage(state: PageState, attributes: ReadonlyMap<string, string>): void {
	const {writer} = state;
	const alternative = (attributes.get('alt') ?? '').replace(/[\s[\]]+/g, ' ').trim();
	const source = alternative && addressOf(attributes.get('src'), state);
	if (source) {
		writer.inline(`![${alternative}](${source})`);
	}
}

/** Writes the end of an element, open or not. */
export function closeElement(state: PageState, name: string): void {
	const {writer, lists} = state;
	if (emptyElements.has(name)) {
		return;
	}

	if (spanMarks.has(name) && state.pre === 0) {
		writer.closeMark(spanMarks.get(name) ?? '');
		return;
	}

	closeSpecial(state, name);
	const block = blockElements.get(name);
	if (block && !(state.cells > 0 && name !== 'tr')) {
		writer.break(block === 2 && lists.length > 0 ? 1 : block);
	}
}

function closeSpecial(state: PageState, name: string): void {
	const {writer, lists} = state;
	switch (name) {
		case 'title':
			state.isTitle = false;
			break;
		case 'a':
			closeLink(state);
			break;
		case 'pre':
			if (state.pre === 1) {
				writer.break(1);
				writer.mark('```');
			}

			state.pre = Math.max(0, state.pre - 1);

			break;
		case 'blockquote':
			writer.dedent();
			break;
		case 'ul':
		case 'ol':
			lists.pop();
			break;
		case 'tr':
			closeRow(state);
			break;
		case 'table':
			state.cells = 0;
			state.rows = 0;
			break;
		default:
	}
}

/** The first row of a table is its head, because Markdown has no table without one. */
function closeRow(state: PageState): void {
	const {writer, cells} = state;
	if (cells > 0) {
		writer.mark(' |');
		if (state.rows++ === 0) {
			writer.break(1);
			writer.mark(`|${' --- |'.repeat(Math.min(cells, 50))}`);
		}
	}

	state.cells = 0;
}

/** Returns the absolute address of a link; undefined for scripts, data and what is no address. */
function addressOf(href: string | undefined, state: PageState): string | undefined {
	const text = href?.trim() ?? '';
	if (text === '' || text.startsWith('#') || state.addresses++ >= maxAddresses || !URL.canParse(text, state.base)) {
		return undefined;
	}

	const url = new URL(text, state.base);
	return /^(?:https?|mailto):$/.test(url.protocol)
		? url.href.replace(/[()\s]/g, sign => encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'))
		: undefined;
}
