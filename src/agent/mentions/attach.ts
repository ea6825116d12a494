import {abortable} from '../../core/abortable.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import {createChannel} from '../channel.ts';
import type {QueuedMessage} from '../history.ts';
import type {CallParts} from '../tool-turn.ts';
import {type Mentions, readMentions} from './read-mentions.ts';

/** Reads what a message mentions. Yields an event for each attachment, notes, and the questions that it needs. */
export function attach(
	{id, text}: QueuedMessage,
	{tools, place, signal}: CallParts,
	mentions: Mentions,
): AsyncIterable<AgentEvent> {
	const {workspace, readFiles, approvals} = place;
	const events = createChannel<AgentEvent>();
	const onNotice = (note: string) => events.push({type: 'notice', level: 'info', text: note});
	const onMissing = (note: string) => events.push({type: 'notice', level: 'warning', text: note});
	const context = {
		workspace,
		signal,
		readFiles,
		onNotice,
		approve: approvals({id, signal, emit: events.push}),
		onOutput: () => undefined,
		onChange: () => undefined,
	};
	const read = async () => {
		await mentions.beforeReading?.();
		for await (const found of readMentions(text, {...mentions, tools: tools.list, context, images: tools.images})) {
			if ('note' in found) {
				onMissing(found.note);
			} else {
				events.push({type: 'attachment', id, ...found});
			}
		}
	};
	abortable(read(), signal).then(
		() => events.end(),
		(error: unknown) => events.end({error}),
	);
	return events;
}
