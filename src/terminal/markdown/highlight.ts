import type {HLJSApi} from 'highlight.js';
import {once} from '../../core/once.ts';
import type {Role} from '../text/role.ts';
import type {Palette, SyntaxRole} from '../text/style.ts';

/** Most lines of an unfinished construct (a comment, a template) that later lines are read with. */
const maxContextLines = 40;
/** A longer line is data rather than code, and is drawn plain. */
const maxLineLength = 2000;

/** Styles the lines of one piece of code, in order; the style of a line depends only on the lines before it. */
type LineHighlighter = {
	/** Styles the next line. */
	readonly next: (line: string) => string;
	/** Styles the beginning of the next line, which may still grow. */
	readonly peek: (line: string) => string;
};

const plain: LineHighlighter = {next: line => line, peek: line => line};
let library: HLJSApi | undefined;

/** Loads highlight.js and its languages, once. Code is drawn plain before that. */
export const loadHighlighter = once(async () => {
	const [core, {languages}] = await Promise.all([import('highlight.js/lib/core'), import('./highlight-languages.ts')]);
	const api = core.default;
	for (const [name, language] of Object.entries(languages)) {
		api.registerLanguage(name, language);
	}

	library = api;
});

/** Returns true if code in this language is coloured, by any of its names. */
export function isHighlighted(language: string): boolean {
	return library?.getLanguage(language.toLowerCase()) !== undefined;
}

/**
 * Creates a highlighter for a language, by any of its names. Styles lines one by one, so that finished lines of a
 * stream never change: each is read with the lines of the construct that is still open.
 */
export function createLineHighlighter(language: string, palette: Palette): LineHighlighter {
	const api = library;
	const name = language.toLowerCase();
	if (!api?.getLanguage(name)) {
		return plain;
	}

	let context: readonly string[] = [];
	const read = (line: string) => {
		const code = [...context, line, ''].join('\n');
		const html = api.highlight(code, {language: name, ignoreIllegals: true}).value;
		return {styled: styleLine(html, context.length, palette), open: !html.endsWith('\n')};
	};

	return {
		next(line) {
			if (line.length > maxLineLength) {
				context = [];
				return line;
			}

			const {styled, open} = read(line);
			// Later lines of a long construct need the line that opened it.
			const kept = context.length < maxContextLines ? context : context.toSpliced(1, 1);
			context = open ? [...kept, line] : [];
			return styled;
		},
		peek: line => (line.length > maxLineLength ? line : read(line).styled),
	};
}

const entities: Readonly<Record<string, string>> = {
	'&amp;': '&',
	'&lt;': '<',
	'&gt;': '>',
	'&quot;': '"',
	'&#x27;': "'",
};

/** Styles line `index` of the library's HTML, which holds spans and five entities, nothing else. */
function styleLine(html: string, index: number, palette: Palette): string {
	const open: (Role | undefined)[] = [];
	let line = 0;
	let styled = '';
	for (const [part, scope] of html.matchAll(/<span class="([^"]*)">|<\/span>|\n|[^<\n]+/g)) {
		if (part === '\n') {
			line++;
		} else if (part === '</span>') {
			open.pop();
		} else if (scope !== undefined) {
			open.push(roleOf(scope, palette));
		} else if (line === index) {
			const text = part.replace(/&(?:amp|lt|gt|quot|#x27);/g, entity => entities[entity] ?? entity);
			const role = open.findLast(Boolean);
			styled += role ? role(text) : text;
		}
	}

	return styled;
}

const roles: Readonly<Record<string, SyntaxRole>> = {
	keyword: 'keyword',
	operator: 'keyword',
	'selector-tag': 'keyword',
	section: 'keyword',
	string: 'string',
	regexp: 'string',
	symbol: 'string',
	link: 'string',
	char: 'string',
	number: 'number',
	literal: 'literal',
	bullet: 'literal',
	comment: 'comment',
	quote: 'comment',
	doctag: 'comment',
	title: 'function',
	type: 'type',
	built_in: 'type',
	'selector-class': 'type',
	'selector-id': 'type',
	variable: 'variable',
	subst: 'variable',
	'template-variable': 'variable',
	attr: 'attribute',
	attribute: 'attribute',
	property: 'attribute',
	tag: 'tag',
	name: 'tag',
	meta: 'meta',
	addition: 'addition',
	deletion: 'deletion',
};

/** Returns the role for classes such as `hljs-title function_`. A scope without a role keeps the outer one. */
function roleOf(classes: string, palette: Palette): Role | undefined {
	const [scope = '', sub] = classes.replace('hljs-', '').split(' ');
	const role = scope === 'title' && sub === 'class_' ? 'type' : roles[scope];
	return role && palette.syntax[role];
}
