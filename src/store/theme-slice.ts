import type {StateCreator} from 'zustand/vanilla';
import type {BackgroundColor} from '../terminal/theme/background.ts';
import {defaultTheme, type ThemeName} from '../terminal/theme/theme-names.ts';

export type ThemeSlice = {
	/** The theme that the user has chosen. */
	readonly theme: ThemeName;
	/** How often the colours have changed, so that what is on the screen is drawn again. */
	readonly recolored: number;
	/** Returns the background of the terminal, which is asked once; undefined if it doesn't answer. */
	readonly askBackground: () => Promise<BackgroundColor>;
	readonly setTheme: (theme: ThemeName) => void;
	readonly setRecolored: () => void;
	readonly setAskBackground: (askBackground: ThemeSlice['askBackground']) => void;
};

export const createThemeSlice: StateCreator<ThemeSlice> = set => ({
	theme: defaultTheme,
	recolored: 0,
	askBackground: async () => undefined,

	setTheme(theme) {
		set({theme});
	},
	setRecolored() {
		set(({recolored}) => ({recolored: recolored + 1}));
	},
	setAskBackground(askBackground) {
		set({askBackground});
	},
});
