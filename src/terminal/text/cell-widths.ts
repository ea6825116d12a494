/** Samples that terminals disagree on, with their width in a modern terminal. */
const samples = {
	emoji: {text: '\u{1f600}', cells: 2},
	/** Women and a girl, joined by ZWJ. */
	family: {text: '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}', cells: 2},
	/** A thumb with a skin tone. */
	modified: {text: '\u{1f44d}\u{1f3fd}', cells: 2},
	/** A heart that VS16 makes an emoji. */
	presented: {text: '\u2764\ufe0f', cells: 2},
	keycap: {text: '1\ufe0f\u20e3', cells: 2},
	flag: {text: '\u{1f1e9}\u{1f1ea}', cells: 2},
	/** Two Devanagari letters that are written as one. */
	conjunct: {text: '\u0915\u094d\u0937', cells: 2},
	khmer: {text: '\u1780\u17d2\u1780', cells: 2},
	/** A letter with a vowel sign that has a place of its own. */
	spaced: {text: '\u0915\u093e', cells: 2},
	/** A box drawing line: two cells if the terminal is set up for an East Asian language. */
	ambiguous: {text: '\u2500', cells: 1},
} as const;

type Sample = keyof typeof samples;

/** The width of each sample in this terminal. */
export type CellWidths = Readonly<Record<Sample, number>>;

export const sampleNames = Object.keys(samples) as readonly Sample[];

const mostCells = 8;

/** The widths before the terminal has answered. */
export const defaultCellWidths = fromSamples(name => samples[name].cells);

let current: CellWidths = defaultCellWidths;

/** Returns the current widths: a process has one terminal. */
export function cellWidths(): CellWidths {
	return current;
}

export function setCellWidths(widths: CellWidths): void {
	current = widths;
}

export function sampleText(name: Sample): string {
	return samples[name].text;
}

/** Returns complete widths from measured or stored ones; invalid ones are as in a modern terminal. */
export function readCellWidths(found: Readonly<Record<string, unknown>>): CellWidths {
	return fromSamples(name => {
		const cells = found[name];
		return typeof cells === 'number' && Number.isInteger(cells) && cells >= 1 && cells <= mostCells
			? cells
			: samples[name].cells;
	});
}

export function isSameWidths(one: CellWidths, other: CellWidths): boolean {
	return sampleNames.every(name => one[name] === other[name]);
}

function fromSamples(cellsOf: (name: Sample) => number): CellWidths {
	return Object.fromEntries(sampleNames.map(name => [name, cellsOf(name)])) as Record<Sample, number>;
}
