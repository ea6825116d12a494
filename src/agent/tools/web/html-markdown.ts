import {Tokenizer} from 'htmlparser2';
import {createMarkdownWriter, type MarkdownWriter} from './markdown-writer.ts';

type Page = {
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
		writer,
		base: address,
		hidden: undefined,
		isTitle: false,
		title: '',
		addresses: 0,
		pre: 0,
		isPreBegun: false,
		lists: [],
		link: undefined,
		cells: 0,
		rows: 0,
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

/** What reads a page, in the order of its text. Names are in lower case. */
type HtmlHandler = {
	readonly open: (name: string, attributes: ReadonlyMap<string, string>) => void;
	readonly close: (name: string) => void;
	readonly text: (text: string) => void;
	/** True once nothing more is needed. */
	readonly isFull: () => boolean;
};

const maxAttributes = 32;
/** Longer values are left out: no address or name is that long. */
const maxValueLength = 2000;
/** The page is read in pieces of this length, so that a full handler ends it. */
const pieceLength = 64 * 1024;

/**
 * Reads any text as HTML. Keeps no tree and no stack: its memory does not depend on how deep elements are nested, and its
 * time is linear.
 */
export function readHtml(html: string, {open, close, text, isFull}: HtmlHandler): void {
	let name = '';
	let attributes = new Map<string, string>();
	let attribute = '';
	let value = '';
	const addValue = (part: string) => {
		value += value.length <= maxValueLength ? part.slice(0, maxValueLength + 1) : '';
	};
	const end = () => open(name, attributes);

	const tokenizer = new Tokenizer(
		{decodeEntities: true},
		{
			onopentagname(start, stop) {
				name = html.slice(start, stop).toLowerCase();
				attributes = new Map();
			},
			onopentagend: end,
			onselfclosingtag: end,
			onclosetag: (start, stop) => close(html.slice(start, stop).toLowerCase()),
			onattribname(start, stop) {
				attribute = html.slice(start, Math.min(stop, start + 100)).toLowerCase();
				value = '';
			},
			onattribdata: (start, stop) => addValue(html.slice(start, stop)),
			onattribentity: code => addValue(String.fromCodePoint(code)),
			onattribend() {
				if (value.length <= maxValueLength && attributes.size < maxAttributes && !attributes.has(attribute)) {
					attributes.set(attribute, value);
				}
			},
			ontext: (start, stop) => text(html.slice(start, stop)),
			ontextentity: code => text(String.fromCodePoint(code)),
			oncdata: () => {},
			oncomment: () => {},
			ondeclaration: () => {},
			onprocessinginstruction: () => {},
			onend: () => {},
		},
	);
	for (let start = 0; start < html.length && !isFull(); start += pieceLength) {
		tokenizer.write(html.slice(start, start + pieceLength));
	}

	tokenizer.end();
}

/** Most links and images; further ones are written as text. */
const maxAddresses = 10_000;
/** Deeper lists are not indented further. */
const maxDepth = 12;

/** How far a page was read. */
type PageState = {
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
function openElement(state: PageState, name: string, attributes: ReadonlyMap<string, string>): void {
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
function closeElement(state: PageState, name: string): void {
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

/** Elements that are left out with everything in them. */
const leftOutElements = new Set(
	'script style noscript template svg math iframe object canvas video audio map nav select dialog'.split(' '),
);

/** Elements without content or end. */
const emptyElements = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Elements that stand alone: 2 with an empty line around them, 1 without. */
const blockElements: ReadonlyMap<string, 1 | 2> = new Map([
	...'p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote table section article main figure details form fieldset hr'
		.split(' ')
		.map(name => [name, 2] as const),
	...'div header footer aside address li dt dd tr figcaption summary legend caption body option'
		.split(' ')
		.map(name => [name, 1] as const),
]);

/** Elements whose text stands between two marks. */
const spanMarks: ReadonlyMap<string, string> = new Map([
	['b', '**'],
	['strong', '**'],
	['i', '*'],
	['em', '*'],
	['code', '`'],
	['kbd', '`'],
	['samp', '`'],
	['del', '~~'],
	['s', '~~'],
]);
