import type {HLJSApi} from 'highlight.js';
import {once} from '../../core/once.ts';
import type {Palette, Role, SyntaxRole} from '../text/style.ts';

/** Lines that a construct left open (a comment, a template) may give to the lines after it as context. */
const longestContext = 40;
/** A longer line is data rather than code, and is drawn plain. */
const longestLine = 2000;

/** Styles the lines of one piece of code, in their order; what a line looks like depends on the lines before it alone. */
export type LineHighlighter = {
	/** Styles the next line. */
	readonly next: (line: string) => string;
	/** Styles the beginning of the next line, without going on. */
	readonly peek: (line: string) => string;
};

const plain: LineHighlighter = {next: line => line, peek: line => line};
let library: HLJSApi | undefined;

/** Loads highlight.js and its languages, once. Until then code is drawn plain. */
export const loadHighlighter = once(async () => {
	const [core, {languages}] = await Promise.all([import('highlight.js/lib/core'), import('./highlight-languages.ts')]);
	const api = core.default;
	for (const [name, language] of Object.entries(languages)) {
		api.registerLanguage(name, language);
	}

	library = api;
});

/**
 * Begins a piece of code in a language by any of its names. Lines are styled one by one so that finished lines of a
 * stream never change: each is read together with the lines of the construct that is still open before it.
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
			if (line.length > longestLine) {
				context = [];
				return line;
			}

			const {styled, open} = read(line);
			// Of a long construct, the line that opened it is what the next ones need to know.
			const kept = context.length < longestContext ? context : context.toSpliced(1, 1);
			context = open ? [...kept, line] : [];
			return styled;
		},
		peek: line => (line.length > longestLine ? line : read(line).styled),
	};
}

const entities: Readonly<Record<string, string>> = {
	'&amp;': '&',
	'&lt;': '<',
	'&gt;': '>',
	'&quot;': '"',
	'&#x27;': "'",
};

/** Takes line `index` out of the library's HTML (spans and five entities, nothing else) and styles it. */
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

/** From classes such as `hljs-title function_`. A scope without a role keeps the one around it. */
function roleOf(classes: string, palette: Palette): Role | undefined {
	const [scope = '', sub] = classes.replace('hljs-', '').split(' ');
	const role = scope === 'title' && sub === 'class_' ? 'type' : roles[scope];
	return role && palette.syntax[role];
}
