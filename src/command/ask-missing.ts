import {AppError} from '../core/error.ts';
import {isUuid} from '../core/uuid.ts';
import {checkArgument, choicesOf, fieldsOf, flagOf} from './arguments.ts';
import type {Command, CommandContext} from './context.ts';
import {splitWords} from './words.ts';

const other = '';

/**
 * Asks for the required arguments of a command that was typed without any, one by one, with known values to select from.
 * Returns them as words; undefined if the user cancels.
 */
export async function askMissing(command: Command, context: CommandContext): Promise<readonly string[] | undefined> {
	const fields = new Map(fieldsOf(command.args).map(field => [field.name, field]));
	const words: string[] = [];
	for (const name of command.positional ?? []) {
		const {required = false, multiple = false} = fields.get(name) ?? {};
		if (!required || name === command.secret) {
			continue;
		}

		const given = await askUntilValid(name, {command, context, multiple});
		if (given === undefined) {
			return undefined;
		}

		// A word that begins with a dash is no flag of this command.
		words.push(...(typeof given === 'string' ? [given] : ['--', ...given]));
	}

	return words;
}

/** Who answers so often with what is invalid is no user. */
const maxAttempts = 20;

type Asking = {readonly command: Command; readonly context: CommandContext; readonly multiple: boolean};

/**
 * Asks for one argument, and again with what is wrong. Returns its word, or its words; undefined if the user cancels. Throws
 * what its checks throw, but for what another answer mends.
 */
async function askUntilValid(
	name: string,
	{command, context, multiple}: Asking,
): Promise<string | readonly string[] | undefined> {
	let wrong = '';
	for (let attempt = 1; ; attempt++) {
		const value = (await askFor(name, command, context, wrong))?.trim();
		if (!value) {
			return undefined;
		}

		try {
			const given = multiple ? splitWords(value) : value;
			// What is wrong is said before the next question.
			checkArgument(command, name, given);
			await command.checks?.[name]?.(value, context);
			return given;
		} catch (error) {
			const isMendable = error instanceof AppError && (error.code === 'usage' || error.code === 'conflict');
			if (!isMendable || attempt === maxAttempts) {
				throw error;
			}

			wrong = error.message.replace(`<${flagOf(name)}>`, 'It');
		}
	}
}

/** Asks for an argument. `wrong` says what is wrong with the last answer, '' for none. */
async function askFor(
	name: string,
	{args, completes, asks, describe}: Command,
	{program, ui: {interact}}: CommandContext,
	wrong: string,
): Promise<string | undefined> {
	const kind = completes?.[name];
	const what = kind === 'environment' ? 'sandbox' : (kind ?? flagOf(name)).replaceAll('-', ' ');
	const possible = choicesOf(args, name);
	if (possible.length > 0) {
		return interact.choose({title: titleFor(what), choices: possible.map(value => ({id: value, label: value}))});
	}

	const known = kind === undefined || kind === 'saved-session' ? [] : program.store.getState().valuesOf(kind);
	if (known.length > 0) {
		const details = await detailsOf(known, program.local.sightings);
		const values = known.map(value => ({
			id: value,
			label: isUuid(value) ? value.slice(0, 8) : value,
			...details.get(value),
		}));
		const choices = kind === 'provider' ? values : [...values, {id: other, label: `Another ${what}…`, isOther: true}];
		const chosen = await interact.choose({title: titleFor(what), choices});
		if (chosen !== other) {
			return chosen;
		}
	}

	const help = describe?.[name] ?? '';
	// Asides are for the help: they name commands, or say what a shell does.
	const about = help === '' || /[`;]/.test(help) ? '' : ` (${help})`;
	const label = asks?.[name] ?? `${what.charAt(0).toUpperCase()}${what.slice(1)}${about}:`;
	return interact.ask({label: wrong ? `${wrong} ${label}` : label, masked: false});
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
