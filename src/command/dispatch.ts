import {isUrl, plainHttpWarning} from '../core/origin.ts';
import {asksForHelp, readArguments} from './arguments.ts';
import type {Command, CommandContext} from './context.ts';
import {nameFlags} from './flag-names.ts';
import {type Result, unchanged} from './result.ts';
import {type CommandMatch, findCommand} from './table.ts';

/**
 * Runs one command from its words, in the app and in a shell. Throws AppError("usage") for invalid words, and what the
 * command throws.
 */
export async function dispatch(words: readonly string[], context: CommandContext): Promise<Result> {
	const entries = context.program.commands.all();
	const found = findCommand(entries, words);
	if (found.inShell && !context.ui.live) {
		throw found.inShell;
	}

	try {
		return await carryOut(found, context);
	} catch (error) {
		const {withWhatWasMeant} = await import('./what-was-meant.ts');
		throw withWhatWasMeant(error, words, entries, found);
	}
}

async function carryOut(found: CommandMatch, context: CommandContext): Promise<Result> {
	const {command, path} = found;
	const isBare = found.rest.length === 0 && context.ui.live !== undefined && command.where !== 'shell';
	const rest = isBare ? await askFirst(command, context) : found.rest;
	if (!rest) {
		return unchanged;
	}

	if (asksForHelp(command, rest)) {
		const {helpOf} = await import('./help.ts');
		return helpOf(path, command, context.ui.live !== undefined);
	}

	if (command.where === (context.ui.live ? 'shell' : 'app')) {
		throw (await import('./wrong-place.ts')).wrongPlace(found);
	}

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

/** Asks for what a command that was typed alone needs. No start and no shell loads what asks. */
async function askFirst(command: Command, context: CommandContext): Promise<readonly string[] | undefined> {
	if (command.positional === undefined) {
		return [];
	}

	const {askMissing} = await import('./ask-missing.ts');
	return askMissing(command, context);
}
