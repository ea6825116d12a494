import {mentionAt, mentionOf} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import type {MentionSuggestion} from '../../store/prompt-slice.ts';
import type {AppState} from '../../store/store.ts';

const maxSuggestions = 8;

/** Returns what the mention at the caret may become: open logs, then files and folders. */
export function mentionSuggestions(
	{text, caret}: Pick<ComposerState, 'text' | 'caret'>,
	{paths, logs}: Pick<AppState, 'paths' | 'logs'>,
): readonly MentionSuggestion[] {
	const typed = mentionAt(text, caret);
	if (!typed || /:\d*(?:-\d*)?$/.test(typed.query.replace(/^log:/, ''))) {
		return [];
	}

	const {start, query} = typed;
	const ofLogs = logs
		.map(({title, environment}) => ({name: `log:${isPlain(title) ? title : environment.slice(0, 8)}`, title}))
		.filter(({name}) => name.includes(query.toLowerCase()))
		.map(({name, title}) => suggestion(`@${name} `, name, `recent lines of ${title}`));
	const ofPaths = /^(?:\.\.|~|\/)/.test(query) ? [] : (paths?.search(query.replace(/^\.\//, ''), maxSuggestions) ?? []);
	return [
		...ofLogs,
		...ofPaths.map(path => suggestion(mentionOf(path) + (path.endsWith('/') ? '' : ' '), path, '')),
	].slice(0, maxSuggestions);

	function suggestion(mention: string, label: string, summary: string): MentionSuggestion {
		const line = text.slice(0, start) + mention + text.slice(caret);
		return {line, label, summary, replaces: {start, end: caret, text: mention}};
	}
}

function isPlain(title: string): boolean {
	return /^[\w.-]+$/.test(title);
}
