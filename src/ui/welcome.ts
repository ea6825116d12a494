import {parseModelId} from '../core/model.ts';
import {fitParts} from '../terminal/text/fit-parts.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../terminal/text/width.ts';
import type {FolderFacts} from './opening/folder-facts.ts';

type Facts = {
	readonly version: string;
	/** The working folder, shortened. */
	readonly folder: string;
	readonly place: FolderFacts;
	readonly model: string | undefined;
	/** The agent of another maker that answers; undefined for our own. */
	readonly agent?: {readonly name: string; readonly isContained: boolean} | undefined;
	readonly isDemo: boolean;
	/** True if the model has no API key yet. */
	readonly lacksKey: boolean;
	/** The host of the server; undefined for the embedded one. */
	readonly server: string | undefined;
	/** The key that inserts `firstTask` into the empty prompt; '' without one. */
	readonly insertKey: string;
	/** True to leave out what can be done next, above a session that continues. */
	readonly isBrief: boolean;
	readonly width: number;
	readonly palette: Palette;
};

/** What the demo model shows best. */
export const firstTask = 'fix the failing test';

/**
 * Returns the first lines on the screen, at most eight: version, folder and branch, model and server, what of the project is
 * trusted, and what can be done next.
 */
export function welcomeLines(facts: Facts): readonly string[] {
	const {version, folder, place, server, isBrief, width, palette} = facts;
	const {label, dim} = palette;
	const branch = place.branch === undefined ? [] : [{text: safeLine(place.branch), role: dim, rank: 3, least: 16}];
	return [
		fitParts(
			[
				{text: `${label('service')} ${dim(version)}`, role: String, rank: 1},
				{text: safeLine(folder), role: dim, rank: 2, least: 16},
				...branch,
			],
			width,
			dim(' · '),
		),
		fitParts(
			[
				{text: modelText(facts), role: String, rank: 1, least: 16},
				{text: server === undefined ? 'built-in server' : safeLine(server), role: dim, rank: 2, least: 16},
			],
			width,
			dim(' · '),
		),
		...(isBrief || facts.isDemo || place.trusted === ''
			? []
			: [truncate(dim(`Trusted: ${safeLine(place.trusted)}`), width)]),
		...(isBrief ? [] : ['', ...stepLines(nextSteps(facts), width, palette)]),
	];
}

function modelText({model, agent, isDemo, lacksKey, palette}: Facts): string {
	if (agent) {
		const where = agent.isContained ? 'in a sandbox' : 'no sandbox holds it';
		return `${safeLine(agent.name)} answers, ${agent.isContained ? where : palette.warning(where)}`;
	}

	if (isDemo) {
		return palette.warning('Demo model, no AI');
	}

	if (!model) {
		return palette.warning('No model selected');
	}

	return lacksKey ? palette.warning(`No API key for ${safeLine(model)}`) : safeLine(model);
}

/** A line that works when typed, and what it does, in this many cells if it can be shortened. */
type Step = readonly [line: string, does: string | ((room: number) => string)];

const help: Step = ['/help', 'all commands, in groups'];

function nextSteps({model, agent, isDemo, lacksKey, server, insertKey, place}: Facts): readonly Step[] {
	if (agent) {
		return [['/agent', 'another agent, or our own'], ['/agent mode', 'its modes'], help];
	}

	const sandbox: Step =
		server === undefined
			? ['/env create web-shop', 'a sandbox with a task, and its live log']
			: ['/env list', 'your sandboxes'];
	if (isDemo) {
		const watch = 'watch the agent find, fix and test a bug';
		return [
			[firstTask, insertKey ? `${watch} · ${insertKey} insert` : watch],
			['/keys set anthropic', 'your own model, with its API key'],
			...(server === undefined ? [['/connect <url>', 'your own server'] as const] : []),
			sandbox,
			help,
		];
	}

	if (!model) {
		return [['/model', 'select a model'], ['/keys set anthropic', 'add an API key'], help];
	}

	if (lacksKey) {
		return [[`/keys set ${parseModelId(model).provider}`, 'add its API key'], ['/model', 'select another model'], help];
	}

	const {last, hasInstructions} = place;
	return [
		...(last ? [[`/resume ${last.id}`, (room: number) => lastText(last, room)] as const] : []),
		...(hasInstructions ? [] : [['/init', 'describe this project for the agent'] as const]),
		sandbox,
		help,
	];
}

/** Returns what continues the last session: a long title is cut, but not what stands behind it. */
function lastText({title, age}: NonNullable<FolderFacts['last']>, room: number): string {
	const [before, behind] = ['continue “', `”, ${age} (-c)`];
	return title
		? before + truncate(safeLine(title), Math.max(1, room - lineWidth(before + behind))) + behind
		: `continue the last session, ${age} (-c)`;
}

function stepLines(steps: readonly Step[], width: number, palette: Palette): readonly string[] {
	const widest = Math.max(...steps.map(([line]) => lineWidth(safeLine(line))));
	const room = width - widest - 4;
	return steps.map(([line, does]) => {
		const text = safeLine(typeof does === 'string' ? does : does(room));
		return truncate(`  ${palette.accent(padEnd(safeLine(line), widest))}  ${palette.dim(text)}`, width);
	});
}

/** Returns the folder with `~` for the home folder. */
export function shortFolder(folder: string, home: string | undefined): string {
	return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
