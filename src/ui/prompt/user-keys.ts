import type {Program} from '../../command/program.ts';
import {noOwnKeys} from '../../editor/keymap/keymap.ts';
import type {AppStore} from '../../store/store.ts';
import type {VimTyping} from '../../store/typing-slice.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: {readonly settings: Pick<Program['local']['settings'], 'file' | 'value' | 'onChange'>};
	/** Prints a warning above the prompt, with what to do in a line of its own. */
	readonly warn: (text: string, hint?: string) => void;
};

/** Uses the keys and the mode that the user has in the settings, now and when they change. Warns of keys that can't be used. */
export async function followUserKeys({store, program, warn}: Dependencies): Promise<() => void> {
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
