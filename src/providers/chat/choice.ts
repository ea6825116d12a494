import type {Json} from '../../core/json.ts';
import {countAt, listAt} from '../json-path.ts';

/**
 * Picks one of several answers that a host may write at the same time: the lowest index of the first chunk that has any.
 * The others are left out of the whole stream.
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
