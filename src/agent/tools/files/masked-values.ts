import {hasRedactable, redactKnownLines} from '../../../core/secrets/redact.ts';
import {mask} from '../../../core/secrets/secret.ts';
import {splitLines} from './read-text.ts';

/**
 * True if a change would replace a credential by the `***` that the model saw in its place: a line with a hidden value
 * is gone, and there are more masks than before.
 */
export function writesMask(before: string, after: string): boolean {
	if (masks(after) <= masks(before) || !hasRedactable(before)) {
		return false;
	}

	const lines = splitLines(before);
	const kept = new Set(splitLines(after));
	return redactKnownLines(lines).some((safe, index) => {
		const line = lines[index] ?? '';
		return safe !== line && !kept.has(line);
	});
}

function masks(text: string): number {
	return text.split(mask).length - 1;
}
