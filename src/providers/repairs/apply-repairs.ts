import type {AssistantPart, Message} from '../../core/session/message.ts';
import type {Call} from '../chunks.ts';
import type {Repair, RepairedWire, RequestDraft, SentTool} from './repair.ts';

/** Returns the draft and the body of a request with repairs. */
export function applyRepairs(
	draft: RequestDraft,
	repairs: readonly Repair[],
	toCall: RepairedWire['toCall'],
): {readonly draft: RequestDraft; readonly call: Call} {
	const repaired = withSentNames(repairs.reduce((changed, {inDraft}) => inDraft?.(changed) ?? changed, draft));
	const {body, ...call} = toCall(repaired);
	return {
		draft: repaired,
		call: {...call, body: repairs.reduce((changed, {inBody}) => inBody?.(changed) ?? changed, body)},
	};
}

/** Returns a draft whose earlier calls have the names of the tools and arguments that the host knows. */
function withSentNames(draft: RequestDraft): RequestDraft {
	const renamed = draft.tools.filter(({name, given, argumentNames}) => argumentNames || name !== given.name);
	if (renamed.length === 0) {
		return draft;
	}

	const byName = new Map(renamed.map(tool => [tool.given.name, tool]));
	return {...draft, messages: draft.messages.map(message => renameCalls(message, byName))};
}

/** Messages as they were renamed last, with the tools of then. */
const renamedMessages = new WeakMap<Message, {readonly tools: readonly unknown[]; readonly message: Message}>();

function renameCalls(message: Message, byName: ReadonlyMap<string, SentTool>): Message {
	const names =
		message.role === 'assistant'
			? message.parts.flatMap(part => (part.type === 'tool-call' ? [part.name] : []))
			: message.role === 'tool'
				? [message.name]
				: [];
	const tools = names.flatMap(name => byName.get(name) ?? []);
	const known = renamedMessages.get(message);
	if (tools.length === 0) {
		return message;
	}

	if (known && known.tools.length === tools.length && known.tools.every((tool, index) => tool === tools[index])) {
		return known.message;
	}

	const changed: Message =
		message.role === 'assistant'
			? {...message, parts: message.parts.map(part => renameCall(part, byName))}
			: message.role === 'tool'
				? {...message, name: byName.get(message.name)?.name ?? message.name}
				: message;
	renamedMessages.set(message, {tools, message: changed});
	return changed;
}

function renameCall(part: AssistantPart, byName: ReadonlyMap<string, SentTool>): AssistantPart {
	const tool = part.type === 'tool-call' ? byName.get(part.name) : undefined;
	if (part.type !== 'tool-call' || !tool) {
		return part;
	}

	const {name, argumentNames} = tool;
	return {...part, name, arguments: argumentNames?.toSent(part.arguments) ?? part.arguments};
}
