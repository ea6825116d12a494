import type {Environment} from '../../core/environment.ts';
import {once} from '../../core/once.ts';
import type {AppStore} from '../../store/store.ts';
import {type Palette, recolor, terminalScheme} from '../../terminal/text/style.ts';
import {backgroundOf, backgroundOfColor} from '../../terminal/theme/background.ts';
import {colorDepth} from '../../terminal/theme/color-depth.ts';
import {defaultTheme} from '../../terminal/theme/theme-names.ts';
import type {TerminalMeasure} from '../screen/terminal-measure.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly env: Environment;
	readonly measure: Pick<TerminalMeasure, 'askBackground'>;
	/** Draws the window again; the scrollback stays as it is. */
	readonly redraw: () => void;
};

/**
 * Colours the palette by the user's theme, and again whenever that changes or the terminal answers what its background is.
 * Resolves when the theme of the start is in use; never waits for an answer.
 */
export async function followTheme({store, palette, env, measure, redraw}: Dependencies): Promise<void> {
	if (!palette.color) {
		return;
	}

	const depth = colorDepth(env);
	let background = backgroundOf(env);
	const ask = once(async () => {
		const color = await measure.askBackground();
		background = color ? backgroundOfColor(color) : background;
		return background;
	});

	const apply = async () => {
		const {schemeOf, needsBackground} = await import('../../terminal/theme/themes.ts');
		const {theme} = store.getState();
		const known = background;
		recolor(palette, theme === defaultTheme ? terminalScheme : schemeOf(theme, known, depth));
		store.getState().setRecolored();
		redraw();
		if (needsBackground(theme) && depth !== 16) {
			void ask().then(answered => (answered === known ? undefined : apply()));
		}
	};

	store.getState().setAskBackground(ask);
	store.subscribe(({theme}, before) => {
		if (theme !== before.theme) {
			void apply();
		}
	});
	if (store.getState().theme !== defaultTheme) {
		await apply();
	}
}
