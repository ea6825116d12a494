import {parseModelId} from '../core/model.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {wrapLine} from '../terminal/text/wrap.ts';

type Facts = {
	readonly version: string;
	/** The working folder, shortened. */
	readonly folder: string;
	readonly model: string | undefined;
	readonly isDemo: boolean;
	/** True if the model has no API key yet. */
	readonly lacksKey: boolean;
	readonly width: number;
	readonly palette: Palette;
};

/** Returns the first lines on the screen: version, folder, and what to do next. */
export function welcomeLines(facts: Facts): readonly string[] {
	const {version, folder, width, palette} = facts;
	return [
		...wrapLine(`${palette.label('service')} ${palette.dim(`${version} · ${safeLine(folder)}`)}`, width),
		...wrapLine(nextStep(facts), width),
	];
}

function nextStep({model, isDemo, lacksKey, palette}: Facts): string {
	if (isDemo) {
		return `${palette.warning('Demo model, no AI')} · /keys set <provider> or /login for a real one · /help`;
	}

	if (!model) {
		return 'No model selected · /model to select one · /keys set <provider> to add an API key';
	}

	if (lacksKey) {
		const missing = palette.warning(`No API key for ${safeLine(model)}`);
		return `${missing} · /keys set ${parseModelId(model).provider} to add one · /model to switch`;
	}

	return `Model: ${safeLine(model)} · /help for commands · /model to switch`;
}

/** Returns the folder with `~` for the home folder. */
export function shortFolder(folder: string, home: string | undefined): string {
	return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
