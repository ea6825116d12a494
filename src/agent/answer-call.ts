import {existsSync} from 'node:fs';
import {type CommandPlace, nameCommands} from '../core/command-words.ts';
import {cutText, headAndTail} from '../core/cut-text.ts';
import {AppError, reportError} from '../core/error.ts';
import type {ToolFacts} from '../core/session/event.ts';
import type {Tool, ToolContext} from '../core/session/tool.ts';
import {errnoOf} from '../storage/file-error.ts';
import type {Hooks} from './hooks.ts';
import type {ToolCall} from './model-turn.ts';

export type CallAnswer = {
	/** What the model reads. */
	readonly output: string;
	readonly failed: boolean;
	/** The message for the user if the tool itself is broken. */
	readonly bug?: string;
	/** What the user should know about the hooks of the call. */
	readonly warnings?: readonly string[];
};

type ToolSetting = ToolContext & {
	/** Where the user reads what the model tells them of commands; the app by default. */
	readonly commandPlace?: CommandPlace | undefined;
};

type CallSetting = ToolSetting & {
	readonly tools: readonly Tool[];
	/** Asked before and after the tool runs. */
	readonly hooks?: Hooks | undefined;
};

/**
 * Runs one call, between its hooks. A failure becomes an answer that tells the model what to do instead. Only an abort
 * throws, because an interrupted call has no result.
 */
export async function answerCall(call: ToolCall, {tools, hooks, ...setting}: CallSetting): Promise<CallAnswer> {
	const {name, malformed, cut} = call;
	const tool = tools.find(candidate => candidate.name === name);
	if (!tool) {
		const names = headAndTail(tools.map(candidate => candidate.name).join(', '), 2000);
		return failure(`Unknown tool “${name}”. ${names ? `Available: ${names}.` : 'No tools are available.'}`);
	}

	if (cut) {
		return failure(
			`Your answer was cut at the token limit in this call of ${name}, so it was not run. Do less in one call, such as a part of a file at a time.`,
		);
	}

	if (malformed !== undefined) {
		const schema = headAndTail(JSON.stringify(tool.parameters), 2000);
		const given = malformed ? `: ${headAndTail(malformed, 400)}` : '; they were empty.';
		return failure(
			`The arguments were not a JSON object${given}\nNothing was run. Call ${name} again with a JSON object of this schema: ${schema}`,
		);
	}

	return hooks ? runHooked(tool, call, setting, hooks) : runTool(tool, call, setting);
}

function failure(output: string): CallAnswer {
	return {output, failed: true};
}

async function runTool(
	tool: Tool,
	call: ToolCall,
	{commandPlace = 'app', ...context}: ToolSetting,
): Promise<CallAnswer> {
	try {
		return {output: cutResult(await tool.run(call.arguments, context), tool.readOn), failed: false};
	} catch (error) {
		context.signal.throwIfAborted();
		if (error instanceof AppError) {
			return failure(error.hint ? `${error.message} ${nameCommands(error.hint, commandPlace)}` : error.message);
		}

		if (errnoOf(error) === 'ENOENT' && !existsSync(context.workspace)) {
			return failure('The working folder no longer exists. Ask the user to restore it.');
		}

		const {message, hint} = reportError(error);
		const next = hint ? ` ${nameCommands(hint, commandPlace)}` : '';
		return {
			...failure(`The tool ${tool.name} is broken: ${message}`),
			bug: `The tool ${tool.name} failed. ${message}${next}`,
		};
	}
}

/** The beginning of the result of a call that a hook denied. The reason follows. */
const hookDenial = 'Denied by a hook: ';

/**
 * Runs a tool between the hooks. One that says no beats every approval: it is asked before the tool runs, and again about a
 * command that the user edited.
 */
async function runHooked(tool: Tool, call: ToolCall, setting: ToolSetting, hooks: Hooks): Promise<CallAnswer> {
	const {name, arguments: args} = call;
	const {signal} = setting;
	const warnings: string[] = [];
	/** Returns why a hook denies the call with these arguments. */
	const denial = async (given: typeof args) => {
		const outcome = await hooks({event: 'before-tool', tool: name, arguments: given}, signal);
		warnings.push(...outcome.warnings);
		return outcome.denied;
	};

	const denied = await denial(args);
	if (denied !== undefined) {
		setting.onFacts?.({denied: 'hook', from: hookDenial.length});
		return {output: hookDenial + denied, failed: true, warnings};
	}

	/** The arguments with which the tool really runs. */
	let ran = args;
	const approve: ToolContext['approve'] = async request => {
		const permission = await setting.approve(request);
		if (!permission.allowed || permission.command === undefined || permission.command === ran['command']) {
			return permission;
		}

		const edited = {...args, command: permission.command};
		const reason = await denial(edited);
		if (reason !== undefined) {
			warnings.push(`A hook denied ${name}: ${reason}`);
			return {allowed: false, reason: hookDenial + reason};
		}

		ran = edited;
		return permission;
	};

	let facts: ToolFacts | undefined;
	const onFacts = (reported: ToolFacts) => {
		facts = reported;
		setting.onFacts?.(reported);
	};
	const answer = await runTool(tool, call, {...setting, approve, onFacts});
	const {output, failed} = answer;
	const after = await hooks({event: 'after-tool', tool: name, arguments: ran, result: output, failed}, signal);
	warnings.push(...after.warnings);
	if (after.denied === undefined) {
		return {...answer, warnings};
	}

	warnings.push(`A hook objected after ${name}: ${after.denied}`);
	const objection = `\n\n[A hook says after this call: ${after.denied}]`;
	if (facts?.below !== undefined) {
		onFacts({...facts, below: facts.below + objection.split('\n').length - 1});
	}

	return {...answer, output: output + objection, warnings};
}

/**
 * Most bytes of a result in UTF-8: about 10,000 tokens of code or prose. More would cost money at every further turn, and
 * crowd out the conversation.
 */
const maxBytes = 32_000;
/** The share of `maxBytes` for the end of the result. */
const tailShare = 0.25;
/** Most bytes of the note between head and tail. */
const maxNoteBytes = 400;

type ReadOn = string | ((leftOut: string) => string);

/** Returns true if a result is too long to be shown as a whole. */
export function isTooLong(text: string): boolean {
	return Buffer.byteLength(text) > maxBytes;
}

/** Keeps the beginning and the end of a long result, in whole lines if it has some. A note says how to read the rest. */
export function cutResult(text: string, readOn: ReadOn = 'Call it again for a shorter result.'): string {
	if (!isTooLong(text)) {
		return text;
	}

	const room = maxBytes - maxNoteBytes;
	const tailBytes = Math.floor(room * tailShare);
	const head = wholeLines(firstBytes(text, room - tailBytes), 'head');
	const tail = wholeLines(lastBytes(text, tailBytes), 'tail');
	const leftOut = text.slice(head.length, text.length - tail.length);
	const lines = leftOut.split('\n').length - (leftOut.endsWith('\n') ? 1 : 0);
	const what = head.endsWith('\n') ? `${lines} lines` : `${leftOut.length} characters`;
	const how = typeof readOn === 'string' ? readOn : readOn(leftOut);
	const note = `[… ${what} left out: a result has at most ${maxBytes / 1000} kB. ${cutText(how, maxNoteBytes / 2)} …]`;
	return `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail.replace(/^\n/, '')}`;
}

function firstBytes(text: string, count: number): string {
	// A UTF-16 unit takes at least one byte. A character that is cut is dropped.
	const bytes = Buffer.from(text.slice(0, count)).subarray(0, count);
	return bytes.toString('utf8').replace(/\uFFFD$/, '');
}

function lastBytes(text: string, count: number): string {
	const bytes = Buffer.from(text.slice(-count));
	return bytes
		.subarray(Math.max(0, bytes.length - count))
		.toString('utf8')
		.replace(/^\uFFFD+/, '');
}

/** Drops the line that was cut, unless it is most of the text. */
function wholeLines(text: string, part: 'head' | 'tail'): string {
	const at = part === 'head' ? text.lastIndexOf('\n') + 1 : text.indexOf('\n') + 1;
	if (at === 0) {
		return text;
	}

	const kept = part === 'head' ? text.slice(0, at) : text.slice(at);
	return kept.length > text.length / 2 ? kept : text;
}
