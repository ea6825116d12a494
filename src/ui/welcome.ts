import {safeLine} from '../terminal/safe-text.ts';
import type {Palette} from '../terminal/style.ts';
import {wrapLine} from '../terminal/wrap.ts';

type Facts = {
	readonly version: string;
	/** The working folder, as people write it. */
	readonly folder: string;
	readonly model: string | undefined;
	readonly isDemo: boolean;
	readonly width: number;
	readonly palette: Palette;
};

/** What the first screen says: who we are, where, and in one line how to get a real model. */
export function welcomeLines({version, folder, model, isDemo, width, palette}: Facts): readonly string[] {
	const next = isDemo
		? `${palette.warning('Demo model, no AI.')} For a real one: /keys set <provider>, or /login to your server. /help shows all.`
		: model
			? `${safeLine(model)} answers. /help shows all commands, /model chooses another model.`
			: 'No model is chosen yet: /model chooses one, /keys set <provider> stores a key.';
	return [
		...wrapLine(`${palette.label('service')} ${palette.dim(`${version} · ${safeLine(folder)}`)}`, width),
		...wrapLine(next, width),
	];
}

/** The folder with the home folder as `~`. */
export function shortFolder(folder: string, home: string | undefined): string {
	return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
