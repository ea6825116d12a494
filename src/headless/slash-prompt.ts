import {closest} from '../command/closest.ts';
import {isNoun} from '../command/context.ts';
import {commandName} from '../command/line.ts';
import {isCommandLine} from '../command/line-kind.ts';
import type {Program} from '../command/program.ts';
import {findCommand} from '../command/table.ts';
import {AppError} from '../core/error.ts';

/** What a refusal of a prompt that begins with a slash ends with. */
const sendAsText = 'To send it as it is, put -- before it: `$ -p -- "/…"`';

/**
 * Returns the message of a prompt that begins with a slash and names a prompt file or a skill; any other prompt as it is.
 * Throws AppError("usage") for other commands, which a model can't run, for unknown ones, and what the prompt file throws.
 */
export async function slashPrompt(
	prompt: string,
	program: Pick<Program, 'commands'>,
	warn: (text: string) => void,
): Promise<string> {
	const name = isCommandLine(prompt) ? commandName(prompt) : '';
	if (!name) {
		return prompt;
	}

	for (const sentence of await program.commands.refresh()) {
		warn(sentence);
	}

	const entry = program.commands.all().find(each => each.name === name);
	if (entry && !isNoun(entry) && entry.textFor) {
		return entry.textFor(
			prompt
				.trim()
				.slice(name.length + 1)
				.trim(),
		);
	}

	const prompts = program.commands.all().flatMap(each => (!isNoun(each) && each.textFor ? [each.name] : []));
	const near = entry ? undefined : closest(name.toLowerCase(), prompts);
	if (near) {
		throw new AppError('usage', `Unknown command “${name}”.`, {hint: `Did you mean “/${near}”? ${sendAsText}`});
	}

	const {path, command} = knownCommand(program.commands.all(), name);
	throw new AppError('usage', `/${name} is a command, not a prompt.`, {
		hint: command.where === 'app' ? `Start the app with \`$\`, then type /${name}.` : `Run \`$ ${path}\` without -p.`,
	});
}

/** Finds a command. Throws AppError("usage"), with the way to send its line as text, for an unknown one. */
function knownCommand(entries: Parameters<typeof findCommand>[0], name: string) {
	try {
		return findCommand(entries, [name]);
	} catch (error) {
		if (error instanceof AppError && error.code === 'usage') {
			throw new AppError('usage', error.message, {hint: [error.hint, sendAsText].filter(Boolean).join(' ')});
		}

		throw error;
	}
}
