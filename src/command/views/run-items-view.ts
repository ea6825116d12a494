import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {RunItem} from '../../contract/resources/item.ts';
import type {Result} from '../result.ts';
import {type ItemSchemas, itemResult} from './item-view.ts';

type Options = {
	readonly schemas: ItemSchemas;
	/** How many items the server was asked for. */
	readonly limit: number;
	/** Why the schemas are not there, where they could not be had. */
	readonly trouble?: string | undefined;
};

/** The items of a run under each other, and what a reader should know of the list. */
export function runItemsResult(items: readonly Lenient<RunItem>[], {schemas, limit, trouble}: Options): Result {
	const notes = [
		...(items.length === 0 ? ['This run recorded no such items.'] : []),
		...(items.length >= limit ? [`These are ${items.length}, as many as asked for: there may be more.`] : []),
		...(trouble && items.length > 0 ? [`Shown without schema titles: ${trouble}`] : []),
	];
	return {
		kind: 'group',
		parts: [
			...items.map(item => itemResult(item, schemas)),
			...notes.map(note => ({kind: 'text', text: note}) as const),
		],
		data: originalOf(items),
	};
}
