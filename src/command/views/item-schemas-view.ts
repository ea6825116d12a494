import {originalOf} from '../../contract/lenient.ts';
import {isJsonObject} from '../../core/json.ts';
import type {Result} from '../result.ts';
import type {ItemSchemas} from './item-view.ts';

/** Returns the item types of a project, one a row. */
export function itemSchemasResult(answer: {readonly schemas?: ItemSchemas}): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'type', whole: true},
			{label: 'title', spare: true},
			{label: 'fields', align: 'right'},
			{label: 'capability'},
			{label: 'schema', cut: 'middle'},
		],
		rows: (answer.schemas ?? []).map(entry => {
			const {title, properties} = entry.json_schema ?? {};
			const {capability, capability_version: version} = entry;
			return [
				entry.item_type ?? '',
				typeof title === 'string' ? title : '',
				isJsonObject(properties) ? String(Object.keys(properties).length) : '',
				capability ? [capability, version].filter(Boolean).join('@') : 'none',
				entry.schema_ref ?? '',
			];
		}),
		empty: 'No item schemas yet. Push traces that define one: `trace push <file>`',
		data: originalOf(answer),
	};
}
