import type {ServerResource} from '../../agent/mcp/resources.ts';
import {mentionAt, mentionOf} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {textOf} from '../../editor/long-text.ts';
import type {MentionSuggestion} from '../../store/prompt-slice.ts';
import type {AppState} from '../../store/store.ts';

const maxSuggestions = 8;

/** Returns what the mention at the caret may become: open logs, MCP servers or resources of one, then files and folders. */
export function mentionSuggestions(
	composer: Pick<ComposerState, 'text' | 'pieces' | 'caret'>,
	{paths, logs, resources}: Pick<AppState, 'paths' | 'logs' | 'resources'>,
): readonly MentionSuggestion[] {
	const {caret} = composer;
	const text = textOf(composer);
	const typed = mentionAt(text, caret);
	if (!typed) {
		return [];
	}

	const {start, query} = typed;
	const named = resources.find(({server}) => query.startsWith(`${server}:`));
	if (named) {
		return ofServer(named.server, named.resources ?? [], query.slice(named.server.length + 1)).slice(0, maxSuggestions);
	}

	if (/:\d*(?:-\d*)?$/.test(query.replace(/^log:/, ''))) {
		return [];
	}

	const ofLogs = logs
		.map(({title, environment}) => ({name: `log:${isPlain(title) ? title : environment.slice(0, 8)}`, title}))
		.filter(({name}) => name.includes(query.toLowerCase()))
		.map(({name, title}) => suggestion(`@${name} `, name, `recent lines of ${title}`));
	const ofPaths = /^(?:\.\.|~|\/)/.test(query) ? [] : (paths?.search(query.replace(/^\.\//, ''), maxSuggestions) ?? []);
	return [
		...ofLogs,
		...resources
			.map(({server}) => `${server}:`)
			.filter(name => name.startsWith(query))
			.map(name => suggestion(`@${name}`, name, 'resources of this MCP server')),
		...ofPaths.map(path => suggestion(mentionOf(path) + (path.endsWith('/') ? '' : ' '), path, '')),
	].slice(0, maxSuggestions);

	function ofServer(server: string, listed: readonly ServerResource[], wanted: string) {
		return matching(listed, wanted).map(({uri, summary, isTemplate}) => {
			// The user completes a template from its first variable.
			const [fixed = ''] = isTemplate ? uri.split('{') : [uri];
			const mention = isTemplate ? `@${server}:${fixed}` : `${mentionOfResource(`${server}:${uri}`)} `;
			return suggestion(mention, `${server}:${uri}`, summary);
		});
	}

	function suggestion(mention: string, label: string, summary: string): MentionSuggestion {
		const line = text.slice(0, start) + mention + text.slice(caret);
		return {line, label, summary, replaces: {start, end: caret, text: mention}};
	}
}

function isPlain(title: string): boolean {
	return /^[\w.-]+$/.test(title);
}

/** Returns the mention of a resource, quoted if `findMentions` would read a bare one otherwise. */
function mentionOfResource(name: string): string {
	const isPlain =
		/^[\p{L}\p{N}_/~.@+=#%&:,;!$()-]+$/u.test(name) && /[\p{L}\p{N}/_=-]$/u.test(name) && !/:\d+(?:-\d+)?$/.test(name);
	return isPlain ? `@${name}` : mentionOf(name);
}

/** Returns the resources with these letters in order, those first that have them together. */
function matching(listed: readonly ServerResource[], typed: string): readonly ServerResource[] {
	const query = typed.toLowerCase();
	const scored = listed.map(resource => {
		const uri = resource.uri.toLowerCase();
		const summary = resource.summary.toLowerCase();
		const score = uri.startsWith(query)
			? 3
			: uri.includes(query) || summary.includes(query)
				? 2
				: inOrder(uri, query)
					? 1
					: 0;
		return {resource, score};
	});
	return scored
		.filter(({score, resource}) => score > 0 && resource.uri.toLowerCase() !== query)
		.toSorted((one, other) => other.score - one.score)
		.map(({resource}) => resource);
}

/** True if a text has these letters in this order. */
function inOrder(text: string, letters: string): boolean {
	let at = -1;
	return [...letters].every(letter => {
		at = text.indexOf(letter, at + 1);
		return at !== -1;
	});
}
