import {parseModelId} from '../core/model.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {wrapLine} from '../terminal/text/wrap.ts';

type Facts = {
	readonly version: string;
	/** The working folder, as people write it. */
	readonly folder: string;
	readonly model: string | undefined;
	readonly isDemo: boolean;
	/** True where the model cannot answer yet. */
	readonly lacksKey: boolean;
	readonly width: number;
	readonly palette: Palette;
};

/** What the first screen says: who we are, where, and in one line how to get a real model. */
export function welcomeLines(facts: Facts): readonly string[] {
	const {version, folder, width, palette} = facts;
	return [
		...wrapLine(`${palette.label('service')} ${palette.dim(`${version} · ${safeLine(folder)}`)}`, width),
		...wrapLine(nextStep(facts), width),
	];
}

function nextStep({model, isDemo, lacksKey, palette}: Facts): string {
	if (isDemo) {
		return `${palette.warning('Demo model, no AI.')} For a real one: /keys set <provider>, or /login to your server. /help shows all.`;
	}

	if (!model) {
		return 'No model is chosen yet: /model chooses one, /keys set <provider> stores a key.';
	}

	if (lacksKey) {
		const needs = palette.warning(`${safeLine(model)} needs a key:`);
		return `${needs} /keys set ${parseModelId(model).provider} stores it, /model chooses another model.`;
	}

	return `${safeLine(model)} answers. /help shows all commands, /model chooses another model.`;
}

/** The folder with the home folder as `~`. */
export function shortFolder(folder: string, home: string | undefined): string {
	return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
