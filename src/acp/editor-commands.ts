import {closest} from '../command/closest.ts';
import {type CommandContext, type CommandUi, type Entry, isNoun} from '../command/context.ts';
import {dispatch} from '../command/dispatch.ts';
import {commandName, readLine} from '../command/line.ts';
import {isCommandLine} from '../command/line-kind.ts';
import type {Program} from '../command/program.ts';
import {renderResult} from '../command/render/render.ts';
import type {Result} from '../command/result.ts';
import {findCommand} from '../command/table.ts';
import {codeFence} from '../core/code-fence.ts';
import {nameCommands} from '../core/command-words.ts';
import {AppError} from '../core/error.ts';
import {createPalette} from '../terminal/text/style.ts';
import type {AvailableCommand} from './protocol.ts';

/**
 * The commands that work on the session, and that make sense without the screen of the app: an editor opens, resumes and lists
 * sessions itself, and no key may be typed into it.
 */
export const offeredCommands: readonly string[] =
	'approvals budget compact context diff effort export init jobs mcp memory model pin plan rename skills undo usage'.split(
		' ',
	);

/** Returns the names of the commands of a session, which may be one of a host: files are those of its machine. */
function namesFor(isHosted: boolean): readonly string[] {
	return isHosted ? [...offeredCommands.filter(name => name !== 'export'), 'drive'] : offeredCommands;
}

/** True for a command that an editor may call: one of those, or what sends a message, as a prompt file does. */
function isOffered(entry: Entry, isHosted: boolean): boolean {
	return namesFor(isHosted).includes(entry.name) || (!isNoun(entry) && entry.textFor !== undefined);
}

/** Returns the commands that an editor offers while a message is typed. */
export function availableCommands(entries: readonly Entry[], isHosted: boolean): AvailableCommand[] {
	return entries
		.filter(entry => isOffered(entry, isHosted))
		.map(entry => {
			const hint = hintOf(entry);
			return {name: entry.name, description: entry.summary, ...(hint && {input: {hint}})};
		});
}

function hintOf(entry: Entry): string {
	if (isNoun(entry)) {
		return entry.verbs.map(({name}) => name).join(' | ');
	}

	return entry.usage ?? (entry.positional ?? []).map(name => `<${name}>`).join(' ');
}

/** What a prompt asks for: a command, or a message to the agent. */
export type PromptLine =
	| {readonly kind: 'message'; readonly text: string}
	| {readonly kind: 'command'; readonly line: string};

/**
 * Reads a prompt. A prompt file or a skill becomes the message that it sends. Throws AppError("usage") for a command that
 * editors don't have, and for what is nearly the name of one; any other text is a message, whatever it begins with.
 */
export async function readPrompt(text: string, program: Program, signal: AbortSignal): Promise<PromptLine> {
	const name = isCommandLine(text) ? commandName(text) : '';
	if (!name) {
		return {kind: 'message', text};
	}

	await program.commands.refresh();
	const entries = program.commands.all();
	const entry = entries.find(each => each.name === name || each.aliases?.includes(name));
	if (entry && !isNoun(entry) && entry.textFor) {
		const typed = text
			.trim()
			.slice(name.length + 1)
			.trim();
		return {kind: 'message', text: await entry.textFor(typed, signal)};
	}

	const isHosted = program.session.hosted !== undefined;
	if (entry && isOffered(entry, isHosted)) {
		return {kind: 'command', line: text.trim()};
	}

	const near = closest(
		name,
		entries.filter(each => isOffered(each, isHosted)).map(each => each.name),
	);
	if (entry) {
		throw new AppError('usage', `/${name} doesn't work in an editor.`, {hint: 'Use the terminal app for it.'});
	}

	if (near) {
		throw new AppError('usage', `Unknown command “/${name}”.`, {hint: `Did you mean “/${near}”?`});
	}

	return {kind: 'message', text};
}

/** Runs a command of the session. Returns what it prints, as Markdown; '' for nothing. */
export async function runCommand(line: string, program: Program, ui: CommandUi, signal: AbortSignal): Promise<string> {
	const {flags, rest} = readLine(line, program.commands.all());
	// What is found decides before anything runs: an alias may stand for another command.
	findCommand(program.commands.all(), rest);
	const context: CommandContext = program.forCommand({ui, flags, signal});
	return markdownOf(await dispatch(rest, context));
}

/** The width of what a command prints. */
const columns = 100;

function markdownOf(result: Result): string {
	switch (result.kind) {
		case 'text':
			return [result.text, result.hint && nameCommands(result.hint, 'app')].filter(Boolean).join(' ');
		case 'page':
			return result.markdown;
		case 'panel':
		case 'quit':
		case 'stream':
			return 'Only the terminal app can show this.';
		default:
			return codeFence(renderResult(result, {width: columns, palette: createPalette({color: false})}).join('\n'));
	}
}
