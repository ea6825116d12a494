/** Characters that no one sees. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
/** Other forms of letters, as wide as two columns or half as wide, ligatures, and the micro sign. */
const forms = /[\u00B5\uFB00-\uFB06\uFF01-\uFFEE]/gu;
const lookAlikes =
	/[\u2018-\u201B\u2032\u02BC\u201C-\u201F\u2033\u2010-\u2015\u2212\uFE58\uFE63\u2025\u2026\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g;
/** Of `lookAlikes`, what systems put into names by themselves. */
const namedAlike = /[\u2018-\u201B\u2032\u02BC\u201C-\u201F\u2033\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g;
/** A character with what is drawn on it or joined to it, such as the other letters of a Korean syllable. */
const clusters = /[\s\S][\u1160-\u11FF\uD7B0-\uD7FB\uFF9E\uFF9F\p{M}\p{Default_Ignorable_Code_Point}]*/gu;
const plain = /^[\0-\x7F]*$/;

/**
 * Returns a text in which what looks the same is the same: composed and decomposed accents, curly and straight quotes, dashes,
 * spaces of every width, `…` and three dots, full-width and usual letters, and nothing that can't be seen. Case, tabs and line
 * ends stay.
 */
export function foldGlyphs(text: string): string {
	return plain.test(text)
		? text
		: text
				.replace(unseen, '')
				.replace(forms, form => form.normalize('NFKC'))
				.normalize('NFC')
				.replace(lookAlikes, usual);
}

/** Returns a name of a file as names are compared: accents, spaces and quotes of every form, and nothing that can't be seen. */
export function foldName(name: string): string {
	return plain.test(name) ? name : name.replace(unseen, '').replace(namedAlike, usual).normalize('NFC');
}

function usual(character: string): string {
	const code = character.charCodeAt(0);
	switch (true) {
		case code === 0x2025:
			return '..';
		case code === 0x2026:
			return '...';
		case (code >= 0x2018 && code <= 0x201b) || code === 0x2032 || code === 0x02bc:
			return "'";
		case (code >= 0x201c && code <= 0x201f) || code === 0x2033:
			return '"';
		case (code >= 0x2010 && code <= 0x2015) || code === 0x2212 || code === 0xfe58 || code === 0xfe63:
			return '-';
		default:
			return ' ';
	}
}

/**
 * How much counts as equal beside the ends of lines: nothing, what looks the same, or in addition every run of blanks, and none at
 * the ends of a line.
 */
export type EyeFold = 'ends' | 'glyphs' | 'blanks';

/** A part of a line, and what it folds to. */
export type Unit = {readonly text: string; readonly start: number; readonly end: number};

/** Returns a text, or a part of a line, as it is compared. Its line ends are LF. */
export function foldText(text: string, fold: EyeFold): string {
	const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
	const folded = fold === 'ends' ? lines : foldGlyphs(lines);
	return fold === 'blanks'
		? folded
				.replace(/[ \t]+/g, ' ')
				.replaceAll(' \n', '\n')
				.replaceAll('\n ', '\n')
				.replace(/^ | $/g, '')
		: folded;
}

/** Returns the parts of a line whose texts make up what it folds to. Parts that fold to nothing are left out. */
export function unitsOf(line: string, fold: EyeFold): readonly Unit[] {
	const units: Unit[] = [];
	const parts = fold === 'ends' || plain.test(line) ? line.matchAll(/[\s\S]/g) : line.matchAll(clusters);
	for (const {0: part, index: start} of parts) {
		const text = fold === 'ends' ? part : foldGlyphs(part);
		const end = start + part.length;
		const last = units.at(-1);
		if (fold === 'blanks' && /^[ \t]+$/.test(text)) {
			if (last?.text === ' ') {
				units[units.length - 1] = {...last, end};
			} else if (last) {
				units.push({text: ' ', start, end});
			}
		} else if (text !== '') {
			units.push({text, start, end});
		}
	}

	return fold === 'blanks' && units.at(-1)?.text === ' ' ? units.slice(0, -1) : units;
}
