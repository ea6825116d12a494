import type {Block} from '../../core/session/block.ts';
import {restoreText} from '../../core/session/restore-text.ts';

/** Returns false for a block that has nothing to show: the end of a run without a text. */
export function isShown(block: Block): boolean {
	return block.kind !== 'end' || block.text !== '';
}

/** Returns the text to copy from a block: its message, or the output of a tool. */
export function textOf(block: Block): string {
	switch (block.kind) {
		case 'tool':
			return block.output;
		case 'restore':
			return restoreText(block);
		case 'compaction':
			return block.summary;
		default:
			return block.text;
	}
}

/** Returns the searchable text of a block in lower case. */
export function searchable(block: Block | undefined): string {
	if (!block) {
		return '';
	}

	const call = block.kind === 'tool' ? `${block.name} ${JSON.stringify(block.arguments)} ` : '';
	return `${call}${textOf(block)}`.toLowerCase();
}

/** Returns the index of the last tool call that started at `at` or earlier; 0 if none did. */
export function callAt(blocks: readonly Block[], at: number): number {
	return Math.max(
		0,
		blocks.findLastIndex(block => block.kind === 'tool' && Date.parse(block.at) <= at),
	);
}
