import type {Palette} from '../text/style.ts';

export type MarkdownOptions = {
	/** Cells that a line may take, 8 at least. */
	readonly width: number;
	readonly palette: Palette;
	/** True if the terminal understands hyperlinks (OSC 8); by default as the palette says. */
	readonly links?: boolean;
	/** True to let the terminal break long lines of code, if they begin in its first column. */
	readonly softWraps?: boolean | undefined;
	/** The sign of who speaks, with the space behind it: a text begins with it, and other blocks stand below it. */
	readonly mark?: string | undefined;
	/** The definitions that were read so far, for links that name one. */
	readonly references?: References;
};

/** Where links lead that name a definition (`[text][name]`), by the name in lower case. */
export type References = Record<string, {readonly href: string; readonly title: string | undefined}>;

const definition =
	/^ {0,3}\[((?:\\.|[^[\]\\])+)\]:[ \t]*<?([^\s<>]+)>?(?:[ \t]+("[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*(?:\n|$)/;

export function noReferences(): References {
	return Object.create(null) as References;
}

/** Adds the definitions that a paragraph begins with. The first one of a name counts, as in CommonMark. */
export function collectReferences(paragraph: string, references: References): void {
	let rest = paragraph;
	for (let match = definition.exec(rest); match; match = definition.exec(rest)) {
		const [line, label = '', href = '', title] = match;
		references[label.replace(/\s+/g, ' ').toLowerCase()] ??= {href, title: title?.slice(1, -1)};
		rest = rest.slice(line.length);
	}
}
