import type {Block} from '../../core/session/block.ts';
import {callText} from '../../core/session/call-words.ts';
import {restoreText} from '../../core/session/changes.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Shown} from './read-group.ts';

/** Returns false for a block that has nothing to show: the end of a run without a text. */
export function isShown(block: Block): boolean {
	return block.kind !== 'end' || block.text !== '';
}

/** Returns the text to copy from a block: its message, or the output of a tool. */
export function textOf(block: Shown): string {
	switch (block.kind) {
		case 'tool':
			return block.output;
		case 'command':
			return `$ ${block.command}\n${block.output}`;
		case 'reads':
			return block.calls.map(({output}) => output).join('\n');
		case 'restore':
			return restoreText(block);
		case 'compaction':
			return block.summary;
		default:
			return block.text;
	}
}

/** Returns the searchable text of a block in lower case. */
export function searchable(block: Shown | undefined): string {
	if (!block) {
		return '';
	}

	if (block.kind === 'reads') {
		return block.calls.map(searchable).join('\n');
	}

	const call = block.kind === 'tool' ? `${block.name} ${JSON.stringify(block.arguments)} ` : '';
	return `${call}${textOf(block)}`.toLowerCase();
}

/** Returns the tool call that a block is or begins with; undefined for any other. */
export function firstCall(block: Shown | undefined): Extract<Block, {kind: 'tool'}> | undefined {
	return block?.kind === 'reads' ? block.calls[0] : block?.kind === 'tool' ? block : undefined;
}

/** Returns the index of the last tool call that started at `at` or earlier; 0 if none did. */
export function callAt(blocks: readonly Shown[], at: number): number {
	return Math.max(
		0,
		blocks.findLastIndex(block => {
			const call = firstCall(block);
			return call !== undefined && Date.parse(call.at) <= at;
		}),
	);
}

/** Returns a sentence for each command that has begun to run: its result is written when it ends, which may take minutes. */
export function startedCommands(now: Transcript, before: Transcript): readonly string[] {
	if (now.open === before.open) {
		return [];
	}

	const running = (blocks: readonly Block[]) =>
		blocks.flatMap(block => (block.kind === 'tool' && block.status === 'running' && block.allowed ? [block] : []));
	const known = new Set(running(before.open).map(({id}) => id));
	return running(now.open).flatMap(({id, name, arguments: args, words}) =>
		name === 'run_command' && !known.has(id) ? [`Started: ${safeLine(callText(name, args, words))}`] : [],
	);
}
