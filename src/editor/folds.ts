/** A long paste that the composer shows as one unit. */
export type Fold = {
	/** What stands for it on the screen; ASCII. */
	readonly label: string;
	readonly text: string;
};

/**
 * In the composer's text a fold is one code unit: the low surrogate U+DC00 plus its index, without a high one before it.
 * Decoded UTF-8 never holds such a unit, and it joins no neighbour, so a fold is a grapheme like any other: the caret, the
 * kill ring and undo need no word about it.
 */
const firstUnit = 0xdc_00;
const mostFolds = 0x4_00;

const leastLines = 3;
const mostCharacters = 800;

/** The index of the fold for which the unit at `offset` stands, or undefined for text. */
export function foldIndexAt(text: string, offset: number): number | undefined {
	const code = text.charCodeAt(offset);
	if (!(code >= firstUnit && code < firstUnit + mostFolds)) {
		return undefined;
	}

	const before = offset === 0 ? 0 : text.charCodeAt(offset - 1);
	return before >= 0xd8_00 && before < firstUnit ? undefined : code - firstUnit;
}

/** The unit for the fold at `index`. */
export function foldUnit(index: number): string {
	return String.fromCharCode(firstUnit + index);
}

/** True where one more can be told from text. */
export function hasRoom(folds: readonly Fold[]): boolean {
	return folds.length < mostFolds;
}

/** The fold for a paste, or undefined for a short one, which goes in as it is. */
export function foldOf(text: string, truncated: boolean, index: number): Fold | undefined {
	// A line end is a part of its line: nobody counts what would begin behind the last one.
	const lines = text.replace(/\n$/, '').split('\n').length;
	const folds = lines >= leastLines || text.length > mostCharacters;
	if (!folds) {
		return undefined;
	}

	const size = lines >= leastLines ? `${lines} lines` : `${text.length} characters`;
	return {label: `[Pasted text #${index + 1} +${size}${truncated ? ', cut' : ''}]`, text};
}

/** The text with every fold replaced: by what was pasted, or by what the screen shows. */
export function unfolded(text: string, folds: readonly Fold[], part: keyof Fold): string {
	// With the flag u only a surrogate that is no half of a pair matches.
	return folds.length === 0
		? text
		: text.replaceAll(/[\u{dc00}-\u{dfff}]/gu, unit => folds[unit.charCodeAt(0) - firstUnit]?.[part] ?? '');
}

/** Text from outside as the composer keeps it: LF ends lines, and no lone surrogate is taken for a fold. */
export function accepted(text: string): string {
	const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
	return lines.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
