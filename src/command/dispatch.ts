import {AppError} from '../core/error.ts';
import {isUrl, plainHttpWarning} from '../core/origin.ts';
import {asksForHelp, checkArgument, fieldsOf, flagOf, readArguments} from './arguments.ts';
import {choicesOf} from './completion/complete-argument.ts';
import type {Command, CommandContext} from './context.ts';
import {nameFlags} from './flag-names.ts';
import {type Result, unchanged} from './result.ts';
import {findCommand} from './table.ts';
import {splitWords} from './words.ts';

/**
 * Runs one command from its words, in the app and in a shell. Throws AppError("usage") for invalid words, and what the
 * command throws.
 */
export async function dispatch(words: readonly string[], context: CommandContext): Promise<Result> {
	const found = findCommand(context.program.commands.all(), words);
	const {command, path, inShell} = found;
	if (inShell && !context.ui.live) {
		throw inShell;
	}

	const isBare = found.rest.length === 0 && context.ui.live !== undefined && command.where !== 'shell';
	const rest = isBare ? await askMissing(command, context) : found.rest;
	if (!rest) {
		return unchanged;
	}

	if (asksForHelp(command, rest)) {
		const {helpOf} = await import('./help.ts');
		return helpOf(path, command, context.ui.live !== undefined);
	}

	refuseWrongPlace(path, command.where, context);
	const values = readArguments(path, command, rest);
	const secret = command.secret && values[command.secret];
	if (secret !== undefined && !isUrl(String(secret)) && !context.ui.live) {
		context.ui.interact.say(
			"A secret on the command line is kept in your shell's history. Leave it out to be asked for it, or pipe it in.",
		);
	}

	if (context.flags.insecureHttp) {
		context.ui.interact.say(plainHttpWarning);
	}

	try {
		return await command.execute(values, context);
	} catch (error) {
		throw nameFlags(error, command);
	}
}

function refuseWrongPlace(path: string, where: 'app' | 'shell' | undefined, {ui: {live}}: CommandContext): void {
	if (where === 'app' && !live) {
		throw new AppError('usage', `${path} works inside the app only.`, {
			hint: `Start the app with \`$\`, then type /${path}.`,
		});
	}

	if (where === 'shell' && live) {
		throw new AppError('usage', `${path} works in a shell only.`, {hint: `Quit with /quit, then run \`$ ${path}\`.`});
	}
}

const other = '';

/**
 * Asks for the required arguments of a command that was typed without any, one by one, with known values to select from.
 * Returns them as words; undefined if the user cancels.
 */
async function askMissing(command: Command, context: CommandContext): Promise<readonly string[] | undefined> {
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
	{args, completes, asks}: Command,
	{program, ui: {interact}}: CommandContext,
	wrong: string,
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

	const label = asks?.[name] ?? `${what.charAt(0).toUpperCase()}${what.slice(1)}:`;
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
