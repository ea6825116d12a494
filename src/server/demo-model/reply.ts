import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {type ChatRequest, lastPrompt, latestResults, resultsSincePrompt, workPrompt} from './chat.ts';
import {type IntendedCall, readIntent} from './intent.ts';
import {texts} from './texts.ts';
import {describeResults} from './tool-results.ts';
import type {Step} from './work/steps.ts';
import {nextStep} from './work/work.ts';

/** One message of the demo model. */
export type Reply = {
	readonly reasoning: string;
	readonly text: string;
	readonly calls: readonly {readonly name: string; readonly arguments: JsonObject}[];
};

/** Answers a conversation. The reply depends only on the request. */
export function replyTo(chat: ChatRequest): Reply {
	const step = nextStep(workPrompt(chat), resultsSincePrompt(chat));
	if (step) {
		return takeStep(step, chat);
	}

	const answers = latestResults(chat);
	if (answers.length > 0) {
		const tools = answers.map(({name}) => name).join(' and ');
		return {reasoning: `${tools} answered. Now I put that into words.`, text: describeResults(answers), calls: []};
	}

	const intent = readIntent(lastPrompt(chat));
	if (intent.kind !== 'calls') {
		return {reasoning: `I am a script: this reads like “${intent.kind}” to me.`, text: texts[intent.kind], calls: []};
	}

	const calls = intent.calls.flatMap(call => offered(chat, call));
	return calls.length > 0
		? {reasoning: `To answer, I need ${calls.map(({name}) => name).join(' and ')}.`, text: '', calls}
		: {reasoning: 'I would need a tool for that.', text: texts.noTools, calls: []};
}

/** A step whose tools the client doesn't offer ends the work. */
function takeStep({text, calls}: Step, chat: ChatRequest): Reply {
	const possible = calls.flatMap(call => offered(chat, call));
	return possible.length < calls.length
		? {reasoning: 'I would need a tool for that.', text: texts.noTools, calls: []}
		: {reasoning: '', text, calls: possible};
}

/** Returns the call if the client offers such a tool, with the arguments that its schema knows. */
function offered({tools}: ChatRequest, {name, arguments: args}: IntendedCall): readonly IntendedCall[] {
	const tool = tools?.find(candidate => candidate.function.name === name);
	if (!tool) {
		return [];
	}

	const schema = tool.function.parameters;
	const known = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : args;
	return [{name, arguments: Object.fromEntries(Object.entries(args).filter(([key]) => key in known))}];
}
