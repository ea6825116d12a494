import type {Block} from './block.ts';

/** Returns the sentence about files that the user restored. */
export function restoreText({how, paths, count}: Extract<Block, {kind: 'restore'}>): string {
	const verb = how === 'redo' ? 'Brought back' : 'Took back';
	const more = count > paths.length ? ` and ${count - paths.length} more` : '';
	return `${verb} changes of ${count} ${count === 1 ? 'file' : 'files'}: ${paths.join(', ')}${more}`;
}
