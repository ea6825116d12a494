import type {Environment} from '../core/environment.ts';
import {once} from '../core/once.ts';
import type {AppStore} from '../store/store.ts';
import {isLikeXterm} from '../terminal/terminal-kind.ts';
import {type Palette, recolor, type Scheme, terminalScheme} from '../terminal/text/style.ts';
import {backgroundOf, backgroundOfColor} from '../terminal/theme/background.ts';
import {colorDepth} from '../terminal/theme/color-depth.ts';
import type {readableScheme, TerminalColors} from '../terminal/theme/readable-scheme.ts';
import {defaultTheme} from '../terminal/theme/theme-names.ts';
import type {TerminalMeasure} from './screen/terminal-measure.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly env: Environment;
	readonly measure: TerminalMeasure;
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
	let colors: TerminalColors | undefined;
	let shown = inksOf(terminalScheme);
	const ask = once(async () => {
		colors = await measure.askColors();
		const [red = 0, green = 0, blue = 0] = colors?.background ?? [];
		background = colors ? backgroundOfColor({red, green, blue}) : background;
		return background;
	});

	const apply = async () => {
		const {schemeOf, needsBackground} = await import('../terminal/theme/themes.ts');
		const {theme} = store.getState();
		const known = colors;
		const scheme = theme === defaultTheme ? terminalScheme : schemeOf(theme, background, depth);
		const next = known ? await readable(scheme, known, depth) : scheme;
		recolor(palette, next);
		if (inksOf(next) !== shown) {
			shown = inksOf(next);
			store.getState().setRecolored();
			redraw();
		}

		if (needsBackground(theme) && depth !== 16) {
			void ask().then(() => (colors === known ? undefined : apply()));
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
	} else if (depth !== 16 || isLikeXterm(env)) {
		void ask().then(() => (colors?.own.size ? apply() : undefined));
	}
}

/** Returns what of a scheme colours our own text. */
function inksOf(scheme: Scheme): string {
	return JSON.stringify({...scheme, unreadable: undefined});
}

async function readable(...about: Parameters<typeof readableScheme>): Promise<Scheme> {
	const {readableScheme} = await import('../terminal/theme/readable-scheme.ts');
	return readableScheme(...about);
}
