import type {Block} from './block.ts';

/** Returns the sentence about files that the user restored. */
export function restoreText({how, paths, count}: Extract<Block, {kind: 'restore'}>): string {
	const verb = how === 'redo' ? 'Redid' : 'Undid';
	const more = count > paths.length ? ` and ${count - paths.length} more` : '';
	return `${verb} changes to ${count} ${count === 1 ? 'file' : 'files'}: ${paths.join(', ')}${more}`;
}
