import type {ToolFacts} from '../../core/session/event.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import {answerCall, type CallAnswer} from '../answer-call.ts';
import type {ToolCall} from '../model-turn.ts';
import type {Hooks} from './hooks.ts';

/** The beginning of the result of a call that a hook denied. The reason follows. */
const hookDenial = 'Denied by a hook: ';

type Options = Parameters<typeof answerCall>[1] & {readonly hooks?: Hooks | undefined};

/** An answer, with what the user should know about the hooks of the call. */
export type HookedAnswer = CallAnswer & {readonly warnings?: readonly string[]};

/**
 * Runs one call between its hooks. A hook that says no beats every approval: it is asked before the tool runs, and again
 * about a command that the user edited. Throws like `answerCall`.
 */
export async function answerHookedCall(call: ToolCall, {hooks, ...options}: Options): Promise<HookedAnswer> {
	const {name, malformed, arguments: args} = call;
	if (!hooks || malformed !== undefined || !options.tools.some(tool => tool.name === name)) {
		return answerCall(call, options);
	}

	const {signal} = options;
	const warnings: string[] = [];
	/** Returns why a hook denies the call with these arguments. */
	const denial = async (given: typeof args) => {
		const outcome = await hooks({event: 'before-tool', tool: name, arguments: given}, signal);
		warnings.push(...outcome.warnings);
		return outcome.denied;
	};

	const denied = await denial(args);
	if (denied !== undefined) {
		options.onFacts?.({denied: 'hook', from: hookDenial.length});
		return {output: hookDenial + denied, failed: true, warnings};
	}

	/** The arguments with which the tool really runs. */
	let ran = args;
	const approve: ToolContext['approve'] = async request => {
		const permission = await options.approve(request);
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
		options.onFacts?.(reported);
	};
	const answer = await answerCall(call, {...options, approve, onFacts});
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
