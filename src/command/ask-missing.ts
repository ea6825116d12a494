import {fieldsOf, flagOf} from './arguments.ts';
import {choicesOf} from './completion/complete-argument.ts';
import type {Command, CommandContext} from './context.ts';

const other = '';

/**
 * Asks for the required arguments of a command that was typed without any, one by one, with known values to select from.
 * Returns them as words; undefined if the user cancels.
 */
export async function askMissing(command: Command, context: CommandContext): Promise<readonly string[] | undefined> {
	const required = new Set(fieldsOf(command.args).flatMap(({name, required}) => (required ? [name] : [])));
	const words: string[] = [];
	for (const name of command.positional ?? []) {
		if (!required.has(name) || name === command.secret) {
			continue;
		}

		const value = await askFor(name, command, context);
		if (!value?.trim()) {
			return undefined;
		}

		words.push(value.trim());
	}

	return words;
}

async function askFor(
	name: string,
	{args, completes}: Command,
	{program, ui: {interact}}: CommandContext,
): Promise<string | undefined> {
	const kind = completes?.[name];
	const what = (kind ?? flagOf(name)).replaceAll('-', ' ');
	const possible = choicesOf(args, name);
	if (possible.length > 0) {
		return interact.choose({title: titleFor(what), choices: possible.map(value => ({id: value, label: value}))});
	}

	const known = kind === undefined || kind === 'saved-session' ? [] : program.store.getState().valuesOf(kind);
	if (known.length > 0) {
		const details = await detailsOf(known, program.local.sightings);
		const values = known.map(value => ({id: value, label: value, ...details.get(value)}));
		const choices = kind === 'provider' ? values : [...values, {id: other, label: `Another ${what}…`}];
		const chosen = await interact.choose({title: titleFor(what), choices});
		if (chosen !== other) {
			return chosen;
		}
	}

	return interact.ask({label: `${what.charAt(0).toUpperCase()}${what.slice(1)}:`, masked: false});
}

function titleFor(what: string): string {
	return `Select ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;
}

/** Returns what was last seen of the objects with these ids, such as the task and the state of a sandbox. */
async function detailsOf(ids: readonly string[], sightings: CommandContext['program']['local']['sightings']) {
	const seen = (await sightings.recall()).filter(({id}) => ids.includes(id));
	const {seenText} = await import('./picker/resume-choices.ts');
	// The newest one comes last.
	return new Map(seen.toReversed().map(sighting => [sighting.id, {detail: seenText(sighting)}]));
}
