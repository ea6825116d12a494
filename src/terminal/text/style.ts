import {reset} from './ansi.ts';

/** Styles text; the outer of two roles continues after the inner one. Text may have several lines. */
export type Role = (text: string) => string;

/** What a token of source code is. */
export const syntaxRoles = [
	'keyword',
	'string',
	'number',
	'literal',
	'comment',
	'function',
	'type',
	'variable',
	'attribute',
	'tag',
	'meta',
	'addition',
	'deletion',
] as const;
export type SyntaxRole = (typeof syntaxRoles)[number];

/** The meaning of text, by role. Only this module decides how it looks. */
export type Palette = {
	/** True if there is colour at all, for text with its own colours. */
	readonly color: boolean;
	/** `level` is 1 to 6. */
	readonly heading: (text: string, level: number) => string;
	readonly emphasis: Role;
	readonly strong: Role;
	readonly strikethrough: Role;
	/** The name of a column or a value. */
	readonly label: Role;
	/** Code within a sentence. */
	readonly code: Role;
	readonly link: Role;
	readonly quote: Role;
	readonly dim: Role;
	readonly accent: Role;
	/** The text must say it too: colour is never the only cue. */
	readonly success: Role;
	readonly warning: Role;
	readonly danger: Role;
	/** The words of a line that differ from those in another. The line must say it too. */
	readonly mark: Role;
	readonly syntax: Readonly<Record<SyntaxRole, Role>>;
};

const plainRole: Role = text => text;

/**
 * Returns the roles in the terminal's own 16 colours. With `color` false there are no escape sequences, and marks
 * replace the styles that carry meaning: `# heading`, `*emphasis*`, `**strong**`, `~~struck~~` and `` `code` ``.
 */
export function createPalette({color}: {readonly color: boolean}): Palette {
	return color ? colored : unstyled;
}

function sgr(codes: string): Role {
	const open = `\u001B[${codes}m`;
	return text =>
		text.replace(/[^\n]+/g, line => {
			const reopened = line.includes(reset) ? line.replaceAll(reset, reset + open) : line;
			return open + reopened + reset;
		});
}

function marked(mark: string): Role {
	return text => (text.trim() ? mark + text + mark : text);
}

const headings = [sgr('1;4'), sgr('1')];
const deepHeading = sgr('1;3');
const dim = sgr('2');
const red = sgr('31');
const green = sgr('32');
const yellow = sgr('33');
const blue = sgr('34');
const magenta = sgr('35');
const cyan = sgr('36');

const colored: Palette = {
	color: true,
	heading: (text, level) => (headings[level - 1] ?? deepHeading)(text),
	emphasis: sgr('3'),
	strong: sgr('1'),
	strikethrough: sgr('9'),
	label: sgr('1'),
	code: cyan,
	link: sgr('4;36'),
	quote: dim,
	dim,
	accent: magenta,
	success: green,
	warning: yellow,
	danger: red,
	mark: sgr('7'),
	syntax: {
		keyword: magenta,
		string: green,
		number: yellow,
		literal: yellow,
		comment: dim,
		function: blue,
		type: cyan,
		variable: plainRole,
		attribute: cyan,
		tag: blue,
		meta: dim,
		addition: green,
		deletion: red,
	},
};

const unstyled: Palette = {
	color: false,
	heading: (text, level) => `${'#'.repeat(level)} ${text}`,
	emphasis: marked('*'),
	strong: marked('**'),
	strikethrough: marked('~~'),
	label: plainRole,
	code: marked('`'),
	link: plainRole,
	quote: plainRole,
	dim: plainRole,
	accent: plainRole,
	success: plainRole,
	warning: plainRole,
	danger: plainRole,
	mark: plainRole,
	syntax: Object.fromEntries(syntaxRoles.map(role => [role, plainRole])) as Record<SyntaxRole, Role>,
};
