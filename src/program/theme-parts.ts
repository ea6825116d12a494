import type {UserSettings} from '../config/settings/user-settings.ts';
import {type Scheme, terminalScheme} from '../terminal/text/style.ts';
import {defaultTheme} from '../terminal/theme/theme-names.ts';
import type {ProgramOptions} from './program-options.ts';

/** Selects the user's theme, now and whenever it is saved. Returns its colours for output that no terminal is asked about. */
export function followTheme({store, env}: ProgramOptions, settings: UserSettings): () => Promise<Scheme> {
	const select = () => store.getState().setTheme(settings.value('theme'));
	select();
	settings.onChange(key => (key === 'theme' ? select() : undefined));
	return async () => {
		const theme = settings.value('theme');
		if (theme === defaultTheme) {
			return terminalScheme;
		}

		const {knownScheme} = await import('../terminal/theme/themes.ts');
		return knownScheme(theme, env);
	};
}
