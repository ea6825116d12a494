import type {Palette} from './style.ts';

/** What signs at the beginning of a line mean, for users who hear it. */
const words: Readonly<Record<string, string>> = {
	'❯': 'You:',
	'✓': 'Done:',
	'✗': 'Error:',
	'!': 'Warning:',
	ℹ: 'Note:',
	'■': 'Stopped:',
	'?': 'Question:',
	'↺': 'Restored:',
	'⇣': 'Compacted:',
	'→': 'Hint:',
	'└': 'Attached:',
};

/** Returns a sign with the space behind it; its word if the palette is spoken. */
export function signOf(sign: string, {spoken}: Palette): string {
	return `${(spoken ? words[sign] : undefined) ?? sign} `;
}

/** Returns the sign that an answer begins with; nothing where words say who speaks. */
export function answerMark({spoken}: Palette): string {
	return spoken ? '' : '● ';
}
