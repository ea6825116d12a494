import type {Block} from '../../core/session/block.ts';

/** False for the end of a run of which nothing is said. */
export function isShown(block: Block): boolean {
	return block.kind !== 'end' || block.text !== '';
}

/** What one would copy of a block: what was said, or what a tool gave. */
export function textOf(block: Block): string {
	switch (block.kind) {
		case 'tool':
			return block.output;
		case 'compaction':
			return block.summary;
		default:
			return block.text;
	}
}

/** All that may be searched for in a block, in lower case. */
export function searchable(block: Block | undefined): string {
	if (!block) {
		return '';
	}

	const call = block.kind === 'tool' ? `${block.name} ${JSON.stringify(block.arguments)} ` : '';
	return `${call}${textOf(block)}`.toLowerCase();
}

/** The index of the last tool call that began at a moment or before it, of the first block without one. */
export function callAt(blocks: readonly Block[], at: number): number {
	return Math.max(
		0,
		blocks.findLastIndex(block => block.kind === 'tool' && Date.parse(block.at) <= at),
	);
}
