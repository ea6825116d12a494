import {isJsonObject, type Json, type JsonObject} from '../json.ts';

export const todoStates = ['pending', 'active', 'done'] as const;

/** One step of the agent's plan. Its text is untrusted. */
export type TodoItem = {readonly text: string; readonly state: (typeof todoStates)[number]};

/** Returns the items of a call of the tool `todo`; undefined if the arguments don't fit. */
export function todoItems({items}: JsonObject): readonly TodoItem[] | undefined {
	return Array.isArray(items) && items.every(isItem) ? items : undefined;
}

function isItem(value: Json): value is TodoItem {
	return isJsonObject(value) && typeof value['text'] === 'string' && todoStates.some(state => state === value['state']);
}

/** Returns the item that is worked on: the first active one, else the first that is pending. */
export function currentItem(items: readonly TodoItem[]): TodoItem | undefined {
	return items.find(({state}) => state === 'active') ?? items.find(({state}) => state === 'pending');
}

export function countDone(items: readonly TodoItem[]): number {
	return items.filter(({state}) => state === 'done').length;
}

/** Returns how far a list is and its current item, such as `3 of 7 done · Fix the parser`. */
export function todoProgress(items: readonly TodoItem[]): string {
	const counts = items.length === 0 ? 'empty' : `${countDone(items)} of ${items.length} done`;
	const current = currentItem(items);
	return current ? `${counts} · ${current.text}` : counts;
}
