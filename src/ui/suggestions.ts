import {complete, type Suggestion} from '../command/completion/complete.ts';
import {sessionValues} from '../command/completion/known-values.ts';
import type {ComposerState} from '../editor/editor-state.ts';
import {textOf} from '../editor/long-text.ts';
import {panelHasFocus} from '../store/panel-slice.ts';
import type {MentionSuggestion} from '../store/prompt-slice.ts';
import type {AppState} from '../store/store.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../terminal/text/width.ts';

/** Returns the suggestions for a line, or for the mention at its caret; none if the user closed them with Esc (-1) or the line is complete. */
export function suggestionsFor(
	entries: Parameters<typeof complete>[0],
	composer: Pick<ComposerState, 'text' | 'pieces' | 'caret'>,
	chosen: number,
	{
		valuesOf,
		savedSessions,
		...known
	}: Pick<AppState, 'valuesOf' | 'savedSessions' | 'paths' | 'logs' | 'resources' | 'suggestMentions'>,
): ReadonlyArray<Suggestion & Partial<MentionSuggestion>> {
	if (chosen < 0) {
		return [];
	}

	const {text} = composer;
	const found =
		textOf(composer).charAt(0) === '/'
			? complete(entries, text, {
					valuesOf: kind => (kind === 'saved-session' ? sessionValues(savedSessions) : valuesOf(kind)),
				})
			: [];
	if (found.length === 0) {
		return known.suggestMentions(composer, known);
	}

	const [first] = found;
	const isTyped = found.length === 1 && first?.line.trimEnd() === text.trimEnd();
	return isTyped && (text.endsWith(' ') || !isName(first)) ? [] : found;
}

/** Returns true for the name of a command, which stays visible with its summary when it is typed in full. */
function isName({label, line}: Suggestion): boolean {
	return label === line.trimEnd();
}

export type Suggestions = ReadonlyArray<Suggestion & Partial<MentionSuggestion>>;

const none: Suggestions = [];

/** What suggestions are found from. */
const sources = [
	...(['panel', 'manner', 'guard', 'composer', 'completion', 'entriesVersion', 'valuesOf', 'savedSessions'] as const),
	...(['paths', 'logs', 'resources', 'suggestMentions'] as const),
];

/** Returns a function that returns the suggestions for the prompt: the same list until what it is found from changes. */
export function createSuggestions(
	entries: () => Parameters<typeof suggestionsFor>[0],
): (state: AppState) => Suggestions {
	let before: AppState | undefined;
	let last = none;
	return state => {
		if (sources.some(name => state[name] !== before?.[name])) {
			before = state;
			const found =
				state.manner === 'shows' || panelHasFocus(state)
					? none
					: suggestionsFor(entries(), state.composer, state.completion, state);
			last = found.length === 0 ? none : found;
		}

		return last;
	};
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
	const names = suggestions.map(({label}) => safeLine(label));
	const width = Math.max(...names.map(lineWidth));
	return suggestions.slice(start, start + height).map(({summary}, index) => {
		const here = start + index === at;
		const name = padEnd(names[start + index] ?? '', width);
		return truncate(
			`${here ? palette.accent('❯ ') + palette.selected(name) : `  ${name}`}  ${palette.dim(safeLine(summary))}`,
			columns,
		);
	});
}
