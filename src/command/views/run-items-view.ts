import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {RunItem} from '../../contract/resources/item.ts';
import type {Result} from '../result.ts';
import {type ItemSchemas, itemResult} from './item-view.ts';

type Options = {
	readonly schemas: ItemSchemas;
	/** How many items were requested. */
	readonly limit: number;
	/** Why the schemas are missing, if they couldn't be loaded. */
	readonly trouble?: string | undefined;
};

/** Returns the items of a run, with notes about the list. */
export function runItemsResult(items: readonly Lenient<RunItem>[], {schemas, limit, trouble}: Options): Result {
	const notes = [
		...(items.length === 0 ? ['This run recorded no such items.'] : []),
		...(items.length >= limit
			? [`Showing the first ${items.length}; there may be more. Raise the limit with --limit.`]
			: []),
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
