import type {Program} from '../../command/program.ts';
import {defaultKeymap} from '../../editor/keymap/keymap.ts';
import type {AppStore} from '../../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: {readonly settings: Pick<Program['settings'], 'file' | 'value' | 'onChange'>};
	/** Prints a warning above the prompt. */
	readonly warn: (text: string) => void;
};

/** Uses the keys that the user has in the settings, now and when they change. Warns of those that can't be used. */
export async function followUserKeys({store, program, warn}: Dependencies): Promise<() => void> {
	const {settings} = program;
	const use = async () => {
		const value = settings.value('keys');
		if (value === undefined) {
			store.getState().setKeymap(defaultKeymap);
			return;
		}

		const {readKeys} = await import('../../command/keymap/read-keys.ts');
		const {keymap, faults} = readKeys(value);
		store.getState().setKeymap(keymap);
		for (const fault of faults) {
			warn(`keys in ${settings.file}: ${fault}`);
		}
	};
	await use();
	return settings.onChange(key => void (key === 'keys' && use()));
}
