import type {Json} from '../core/json.ts';
import {countAt, listAt} from './json-path.ts';

/**
 * Returns a function that picks one of several answers in a stream: the lowest index in the first chunk with any. The
 * others are ignored.
 */
export function createChoicePicker(list: 'choices' | 'candidates'): (chunk: Json) => Json | undefined {
	let chosen: number | undefined;
	return chunk => {
		const choices = listAt(chunk, list);
		const indexes = choices.map(choice => countAt(choice, 'index') ?? 0);
		chosen ??= indexes.length > 0 ? Math.min(...indexes) : undefined;
		return choices[chosen === undefined ? -1 : indexes.indexOf(chosen)];
	};
}
