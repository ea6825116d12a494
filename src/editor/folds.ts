import type {Text} from './long-text.ts';

/** A long paste that the composer shows as one unit. */
export type Fold = {
	/** The placeholder on the screen; ASCII. */
	readonly label: string;
	readonly text: string;
};

/**
 * In the composer's text a fold is one code unit: the low surrogate U+DC00 plus its index, without a high one before
 * it. Decoded UTF-8 never contains such a unit, and it joins no neighbour, so a fold is a grapheme: the caret, the kill
 * ring and undo need no special case.
 */
const firstUnit = 0xdc_00;
const maxFolds = 0x4_00;

const minFoldedLines = 3;
const maxUnfoldedCharacters = 800;

/** Returns the index of the fold at `offset`, or undefined for text. */
export function foldIndexAt(text: Text, offset: number): number | undefined {
	const code = text.charCodeAt(offset);
	if (!(code >= firstUnit && code < firstUnit + maxFolds)) {
		return undefined;
	}

	const before = offset === 0 ? 0 : text.charCodeAt(offset - 1);
	return before >= 0xd8_00 && before < firstUnit ? undefined : code - firstUnit;
}

/** Returns the unit for the fold at `index`. */
export function foldUnit(index: number): string {
	return String.fromCharCode(firstUnit + index);
}

/** True if one more fold fits. */
export function hasRoom(folds: readonly Fold[]): boolean {
	return folds.length < maxFolds;
}

/** Returns the fold for a long paste, or undefined for a short one, which is inserted as text. */
export function foldOf(text: string, truncated: boolean, index: number): Fold | undefined {
	// A line end belongs to its line: an empty last line does not count.
	const lines = text.replace(/\n$/, '').split('\n').length;
	const folds = lines >= minFoldedLines || text.length > maxUnfoldedCharacters;
	if (!folds) {
		return undefined;
	}

	const size = lines >= minFoldedLines ? `${lines} lines` : `${text.length} characters`;
	return {label: `[Pasted text #${index + 1} +${size}${truncated ? ', cut' : ''}]`, text};
}

/** Returns the text with every fold replaced by its text or its label. */
export function unfolded(text: string, folds: readonly Fold[], part: keyof Fold): string {
	// With the flag u, only a surrogate outside of a pair matches.
	return folds.length === 0
		? text
		: text.replaceAll(/[\u{dc00}-\u{dfff}]/gu, unit => folds[unit.charCodeAt(0) - firstUnit]?.[part] ?? '');
}

/**
 * Returns outside text as the composer stores it: with LF as line end, and without lone surrogates, which would be
 * folds.
 */
export function accepted(text: string): string {
	const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
	return lines.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
