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
import {listRoom, moreRow} from './panels/panel-rows.ts';

/** Returns the suggestions for a line, or for the mention at its caret; none if the user closed them with Esc (-1) or the line is complete. */
export function suggestionsFor(
	entries: Parameters<typeof complete>[0],
	composer: Pick<ComposerState, 'text' | 'pieces' | 'caret' | 'history'>,
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

	if (text === '/') {
		return recentFirst(found, composer.history);
	}

	const [first] = found;
	const isTyped = found.length === 1 && first?.line.trimEnd() === text.trimEnd();
	return isTyped && (text.endsWith(' ') || !isName(first)) ? [] : found;
}

/** How many commands that were used last come first. */
const maxRecent = 5;

/** Returns all commands, the first of them those that the user sent last. */
function recentFirst(found: readonly Suggestion[], history: readonly string[]): readonly Suggestion[] {
	const recent = new Set<string>();
	for (let index = history.length - 1; index >= 0 && recent.size < maxRecent; index--) {
		const [name] = /^\/\S+/.exec(history[index] ?? '') ?? [];
		if (name !== undefined && found.some(({label}) => label === name)) {
			recent.add(name);
		}
	}

	const used = [...recent].flatMap(name => found.find(({label}) => label === name) ?? []);
	return [...used, ...found.filter(({label}) => !recent.has(label))];
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

/** Draws suggestions around the selected one in `height` lines of at most `columns` cells, and how many are out of sight. */
export function suggestionLines(
	suggestions: readonly Suggestion[],
	chosen: number,
	height: number,
	columns: number,
	palette: Palette,
): readonly string[] {
	const at = Math.min(chosen, suggestions.length - 1);
	const room = listRoom(suggestions.length, height);
	const start = Math.max(0, Math.min(at - Math.floor(room / 2), suggestions.length - room));
	const names = suggestions.map(({label}) => safeLine(label));
	const width = Math.max(...names.map(lineWidth));
	const rows = suggestions.slice(start, start + room).map(({summary}, index) => {
		const here = start + index === at;
		const name = padEnd(names[start + index] ?? '', width);
		return truncate(
			`${here ? palette.accent('❯ ') + palette.selected(name) : `  ${name}`}  ${palette.dim(safeLine(summary))}`,
			columns,
		);
	});
	return [...rows, ...moreRow({first: start, shown: rows.length, count: suggestions.length}, height, palette)];
}
