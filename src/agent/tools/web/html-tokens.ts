import {Tokenizer} from 'htmlparser2';

/** What reads a page, in the order of its text. Names are in lower case. */
export type HtmlHandler = {
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
