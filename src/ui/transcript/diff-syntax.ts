import {basename, extname} from 'node:path';
import type {FileChange} from '../../core/session/event.ts';
import {createLineHighlighter, isHighlighted} from '../../terminal/markdown/highlight.ts';
import {type Piece, paintPieces, parsePieces, plainText} from '../../terminal/text/ansi.ts';
import type {Palette} from '../../terminal/text/style.ts';

/** A line of a diff, as far as its colours depend on it. Its text is safe. */
type Line = {readonly sign: string; readonly text: string};

/** Returns the line at `index` with the colours of its language; undefined if it has none. */
export type DiffSyntax = (index: number) => string | undefined;

/** Most lines that are read only because a later one is shown. */
const maxSkipped = 200;
/** Longer lines are data rather than code. */
const maxLength = 1000;

type Kept = {readonly scheme: Palette['syntax']; readonly syntax: DiffSyntax};

/** What was drawn of each change: each line is read once, until the colours change. */
const kept = new WeakMap<FileChange, Kept>();

/** Returns the colours of a change in the language of its file; undefined without colour, and until the highlighter is loaded. */
export function diffSyntax(change: FileChange, lines: () => readonly Line[], palette: Palette): DiffSyntax | undefined {
	const language = languageOf(change.path);
	if (!palette.color || !isHighlighted(language)) {
		return undefined;
	}

	const known = kept.get(change);
	if (known?.scheme === palette.syntax) {
		return known.syntax;
	}

	const syntax = readLines(lines(), language, palette);
	kept.set(change, {scheme: palette.syntax, syntax});
	return syntax;
}

function languageOf(path: string): string {
	return extname(path).slice(1) || basename(path);
}

/** Reads the new file, hunk by hunk. A removed line stays in its own colour: code of other colours would look as if it were kept. */
function readLines(lines: readonly Line[], language: string, palette: Palette): DiffSyntax {
	const styled: (string | undefined)[] = [];
	let highlighter = createLineHighlighter(language, palette);
	let next = 0;
	return index => {
		if (index in styled) {
			return styled[index];
		}

		if (index < next || index > next + maxSkipped) {
			next = index;
			highlighter = createLineHighlighter(language, palette);
		}

		for (; next <= index; next++) {
			const {sign, text} = lines[next] ?? {sign: '@', text: ''};
			if (sign === '@') {
				highlighter = createLineHighlighter(language, palette);
			}

			const isCode = (sign === '+' || sign === ' ') && text.length <= maxLength;
			const colored = isCode ? highlighter.next(text) : undefined;
			// Whatever the highlighter makes of it, the user sees each character of the line.
			styled[next] = colored !== undefined && plainText(colored) === text ? colored : undefined;
		}

		return styled[index];
	};
}

/** Returns a styled line with marks on some of its parts, in order; undefined if they aren't its text. */
export function markParts(
	line: string,
	parts: readonly {readonly text: string; readonly isChanged: boolean}[],
	mark: (text: string) => string,
): string | undefined {
	if (plainText(line) !== parts.map(({text}) => text).join('')) {
		return undefined;
	}

	let rest: readonly Piece[] = parsePieces(line);
	let marked = '';
	for (const {text, isChanged} of parts) {
		const taken: Piece[] = [];
		let room = text.length;
		while (room > 0) {
			const [first, ...others] = rest;
			if (!first) {
				break;
			}

			taken.push({...first, text: first.text.slice(0, room)});
			rest = first.text.length > room ? [{...first, text: first.text.slice(room)}, ...others] : others;
			room -= Math.min(room, first.text.length);
		}

		marked += isChanged ? mark(text) : paintPieces(taken);
	}

	return marked;
}
