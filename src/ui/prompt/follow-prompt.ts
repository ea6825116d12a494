import {type Entry, isNoun} from '../../command/context.ts';
import {commandName} from '../../command/line.ts';
import type {Program} from '../../command/program.ts';
import {noOwnKeys} from '../../editor/keymap/keymap.ts';
import {textOf} from '../../editor/long-text.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import type {VimTyping} from '../../store/typing-slice.ts';
import {followPaths, followResources} from './follow-mentions.ts';
import {mentionSuggestions} from './mention-suggestions.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: Pick<Program, 'commands' | 'local' | 'mcp' | 'prompts'>;
	readonly warn: (text: string, hint?: string) => void;
	/** True to save what is typed and not sent for the next app in the folder. */
	readonly keepsDrafts?: boolean;
	/** True if a message is sent at the start. */
	readonly hasPrompt: boolean;
};

/** Suggests what the prompt may mention, uses the user's own keys, and keeps drafts. Returns a function that stops it. */
export async function followPrompt(dependencies: Dependencies): Promise<() => Promise<unknown>> {
	const {store, program, warn, keepsDrafts = false} = dependencies;
	store.getState().setSuggestMentions(mentionSuggestions);
	const stops = [
		await followUserKeys({store, program: program.local, warn}),
		followPaths(store, program.prompts.listPaths),
		followResources(store, program.mcp.suggestResources),
		...(keepsDrafts ? [(await import('./keep-drafts.ts')).keepDrafts(dependencies)] : []),
	];
	return () => Promise.all(stops.map(stop => stop()));
}

type KeyParts = {
	readonly store: AppStore;
	readonly program: {readonly settings: Pick<Program['local']['settings'], 'file' | 'value' | 'onChange'>};
	/** Prints a warning above the prompt, with what to do in a line of its own. */
	readonly warn: (text: string, hint?: string) => void;
};

/** Uses the keys and the mode that the user has in the settings, now and when they change. Warns of keys that can't be used. */
export async function followUserKeys({store, program, warn}: KeyParts): Promise<() => void> {
	const {settings} = program;
	const applyKeys = async () => {
		const value = settings.value('keys');
		if (value === undefined) {
			store.getState().setOwnKeys(noOwnKeys);
			return;
		}

		const {readKeys} = await import('../../command/keymap/read-keys.ts');
		const {own, faults, notes} = readKeys(value);
		store.getState().setOwnKeys(own);
		const warnings = [...faults, ...notes];
		for (const [index, text] of warnings.entries()) {
			const isLast = index === warnings.length - 1;
			warn(`keys in ${settings.file}: ${text}`, isLast ? 'All actions and keys: `keys-help`' : undefined);
		}
	};
	const applyVim = async () => {
		const {vim, setVim} = store.getState();
		const isWanted = settings.value('vim');
		if (isWanted !== (vim !== undefined)) {
			setVim(isWanted ? await loadVim() : undefined);
		}
	};
	// First, so that no change is missed while what is there now is read.
	const stop = settings.onChange(async key => {
		const apply = key === 'keys' ? applyKeys : key === 'vim' ? applyVim : undefined;
		await apply?.().catch((error: unknown) => warn(String(error)));
	});
	await Promise.all([applyKeys(), applyVim()]);
	return stop;
}

async function loadVim(): Promise<VimTyping> {
	const [{reduceVim}, {initialVim}] = await Promise.all([
		import('../../editor/vim/vim.ts'),
		import('../../editor/vim/vim-state.ts'),
	]);
	return {state: initialVim, reduce: reduceVim};
}

/** Calls `refresh` each time the user begins a slash line. Returns a function that stops it. */
export function followEntries(store: AppStore, refresh: () => Promise<void>): () => void {
	let isSlash = false;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		const wasSlash = isSlash;
		isSlash = textOf(composer).charAt(0) === '/';
		if (isSlash && !wasSlash) {
			// What can't be read is missing in the list, and the line reports it.
			refresh().catch(() => undefined);
		}
	};
	// The user may have begun while this was loaded.
	follow(store.getState());
	return store.subscribe(follow);
}

/** True for a line whose command comes from a file, or is not known yet: the file may have changed. */
export function comesFromFile(line: string, entries: readonly Entry[]): boolean {
	const name = commandName(line);
	const entry = entries.find(each => each.name === name || each.aliases?.includes(name));
	return !entry || (!isNoun(entry) && entry.takesLine === true);
}
