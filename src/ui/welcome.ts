import {parseModelId} from '../core/model.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../terminal/text/width.ts';
import {wrapLine} from '../terminal/text/wrap.ts';

type Facts = {
	readonly version: string;
	/** The working folder, shortened. */
	readonly folder: string;
	readonly model: string | undefined;
	readonly isDemo: boolean;
	/** True if the model has no API key yet. */
	readonly lacksKey: boolean;
	/** The host of the server; undefined for the embedded one. */
	readonly server: string | undefined;
	/** True to leave out what can be done next, above a session that continues. */
	readonly isBrief: boolean;
	readonly width: number;
	readonly palette: Palette;
};

/** Returns the first lines on the screen: version and folder, model and server, and what can be done next. */
export function welcomeLines(facts: Facts): readonly string[] {
	const {version, folder, server, isBrief, width, palette} = facts;
	const place = server === undefined ? 'built-in server' : safeLine(server);
	return [
		...wrapLine(`${palette.label('service')} ${palette.dim(`${version} · ${safeLine(folder)}`)}`, width),
		...wrapLine(`${modelText(facts)}${palette.dim(` · ${place}`)}`, width),
		...(isBrief ? [] : ['', ...stepLines(nextSteps(facts), width, palette)]),
	];
}

function modelText({model, isDemo, lacksKey, palette}: Facts): string {
	if (isDemo) {
		return palette.warning('Demo model, no AI');
	}

	if (!model) {
		return palette.warning('No model selected');
	}

	return lacksKey ? palette.warning(`No API key for ${safeLine(model)}`) : safeLine(model);
}

/** A line that works when typed, and what it does. */
type Step = readonly [line: string, does: string];

const help: Step = ['/help', 'all commands, in groups'];

function nextSteps({model, isDemo, lacksKey, server}: Facts): readonly Step[] {
	const sandbox: Step =
		server === undefined
			? ['/env create web-shop', 'a sandbox with a task, and its live log']
			: ['/env list', 'your sandboxes'];
	if (isDemo) {
		return [['/keys set anthropic', 'add an API key for a real model'], sandbox, help];
	}

	if (!model) {
		return [['/model', 'select a model'], ['/keys set anthropic', 'add an API key'], help];
	}

	if (lacksKey) {
		return [[`/keys set ${parseModelId(model).provider}`, 'add its API key'], ['/model', 'select another model'], help];
	}

	return [['/init', 'describe this project for the agent'], sandbox, help];
}

function stepLines(steps: readonly Step[], width: number, palette: Palette): readonly string[] {
	const widest = Math.max(...steps.map(([line]) => lineWidth(line)));
	return steps.map(([line, does]) =>
		truncate(`  ${palette.accent(padEnd(line, widest))}  ${palette.dim(does)}`, width),
	);
}

/** Returns the folder with `~` for the home folder. */
export function shortFolder(folder: string, home: string | undefined): string {
	return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
