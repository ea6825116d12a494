import {complete, type Suggestion} from '../command/completion/complete.ts';
import {sessionValues} from '../command/completion/known-values.ts';
import type {AppState} from '../store/store.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../terminal/text/width.ts';

/** Returns the suggestions for a line; none if the user closed them with Esc (-1) or the line is complete. */
export function suggestionsFor(
	entries: Parameters<typeof complete>[0],
	text: string,
	chosen: number,
	{valuesOf, savedSessions}: Pick<AppState, 'valuesOf' | 'savedSessions'>,
): readonly Suggestion[] {
	if (chosen < 0) {
		return [];
	}

	const found = complete(entries, text, {
		valuesOf: kind => (kind === 'saved-session' ? sessionValues(savedSessions) : valuesOf(kind)),
	});
	const [first] = found;
	const isTyped = found.length === 1 && first?.line.trimEnd() === text.trimEnd();
	return isTyped && (text.endsWith(' ') || !isName(first)) ? [] : found;
}

/** Returns true for the name of a command, which stays visible with its summary when it is typed in full. */
function isName({label, line}: Suggestion): boolean {
	return label === line.trimEnd();
}

/** Draws `height` suggestions around the selected one, in lines of at most `columns` cells. */
export function suggestionLines(
	suggestions: readonly Suggestion[],
	chosen: number,
	height: number,
	columns: number,
	palette: Palette,
): readonly string[] {
	const at = Math.min(chosen, suggestions.length - 1);
	const start = Math.max(0, Math.min(at - Math.floor(height / 2), suggestions.length - height));
	const width = Math.max(...suggestions.map(({label}) => lineWidth(label)));
	return suggestions.slice(start, start + height).map(({label, summary}, index) => {
		const here = start + index === at;
		const name = padEnd(label, width);
		return truncate(
			`${here ? palette.accent('❯ ') + palette.label(name) : `  ${name}`}  ${palette.dim(safeLine(summary))}`,
			columns,
		);
	});
}
