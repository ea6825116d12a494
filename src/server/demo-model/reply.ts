import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {type ChatRequest, freshAnswers, lastPrompt} from './chat.ts';
import {sayAnswers} from './tool-words.ts';
import {readWish, type WishedCall} from './wish.ts';
import {words} from './words.ts';

/** One message of the demo model. */
export type Reply = {
	readonly reasoning: string;
	readonly text: string;
	readonly calls: readonly {readonly name: string; readonly arguments: JsonObject}[];
};

/** Answers a conversation. Everything comes from the request: the same request gets the same reply. */
export function replyTo(chat: ChatRequest): Reply {
	const answers = freshAnswers(chat);
	if (answers.length > 0) {
		const tools = answers.map(({name}) => name).join(' and ');
		return {reasoning: `${tools} answered. I put that into words.`, text: sayAnswers(answers), calls: []};
	}

	const wish = readWish(lastPrompt(chat));
	if (wish.kind !== 'calls') {
		return {reasoning: `I am a script: this reads like “${wish.kind}” to me.`, text: words[wish.kind], calls: []};
	}

	const calls = wish.calls.flatMap(call => offered(chat, call));
	return calls.length > 0
		? {reasoning: `To answer I need ${calls.map(({name}) => name).join(' and ')}.`, text: '', calls}
		: {reasoning: 'I would need a tool for that.', text: words.noTools, calls: []};
}

/** The call, where the client offered such a tool, with those arguments that its schema knows. */
function offered({tools}: ChatRequest, {name, arguments: args}: WishedCall): readonly WishedCall[] {
	const tool = tools?.find(candidate => candidate.function.name === name);
	if (!tool) {
		return [];
	}

	const schema = tool.function.parameters;
	const known = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : args;
	return [{name, arguments: Object.fromEntries(Object.entries(args).filter(([key]) => key in known))}];
}
