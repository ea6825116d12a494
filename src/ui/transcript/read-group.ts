import {formatAmount} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import {callWords, readsFiles} from '../../core/session/call-words.ts';
import type {DrawingStyle} from '../../terminal/text/drawing.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {clockOf, clockRow} from './clock-row.ts';

type Tool = Extract<Block, {kind: 'tool'}>;

/** Calls that only read, one after another, all of them done. */
export type ReadGroup = {readonly kind: 'reads'; readonly calls: readonly Tool[]};

/** What is drawn as one: a block, or several calls that read. */
export type Shown = Block | ReadGroup;

/** True for a call that is drawn with those beside it: it is done, nobody was asked, and the model got no image. */
export function joins(block: Block): block is Tool {
	return isReading(block) && block.status === 'done' && !block.allowed && !block.images;
}

/** True for a call that may join, now or once it is done. */
export function mayJoin(block: Block): boolean {
	return isReading(block) && (block.open || joins(block));
}

function isReading(block: Block): block is Tool {
	return block.kind === 'tool' && readsFiles(block.name);
}

/** True for a block that draws nothing: what a model has said or thought in blanks, or for itself. */
export function isUnseen(block: Block): boolean {
	switch (block.kind) {
		case 'text':
			return /^[ \n]*$/.test(block.text);
		case 'reasoning':
			return block.text.trim() === '';
		default:
			return false;
	}
}

/** Returns what is drawn of these blocks: adjacent calls that read as groups, and nothing that can't be seen. */
export function joinReads(blocks: readonly Block[]): readonly Shown[] {
	const shown: Shown[] = [];
	let calls: Tool[] = [];
	const end = () => {
		const [first] = calls;
		if (first) {
			shown.push(calls.length === 1 ? first : groupOf(first, calls));
		}

		calls = [];
	};
	for (const block of blocks) {
		if (joins(block)) {
			calls.push(block);
		} else if (!isUnseen(block)) {
			end();
			shown.push(block);
		}
	}

	end();
	return shown;
}

/** Groups by their first call: the same calls are the same group, so that what was drawn of it can be kept. */
const groups = new WeakMap<Tool, ReadGroup>();

function groupOf(first: Tool, calls: readonly Tool[]): ReadGroup {
	const known = groups.get(first);
	if (known?.calls.length === calls.length && known.calls.at(-1) === calls.at(-1)) {
		return known;
	}

	const group: ReadGroup = {kind: 'reads', calls};
	groups.set(first, group);
	return group;
}

/** Returns the line of a group: how much was read, and what. */
export function readGroupLine({calls}: ReadGroup, style: DrawingStyle): string {
	const {palette} = style;
	const of = (tool: string) => calls.filter(({name}) => name === tool);
	const files = new Set(of('read_file').map(pathOf)).size;
	const [lists, searches] = [of('list_files').length, of('search_text').length];
	const counts = [
		...(files > 0 ? [`read ${formatAmount(files, 'file')}`] : []),
		...(searches > 0 ? [`searched ${searches === 1 ? 'once' : `${searches} times`}`] : []),
		...(lists > 0 ? [`listed ${formatAmount(lists, 'folder')}`] : []),
	].join(', ');
	const subjects = [...new Set(calls.map(call => safeLine(subjectOf(call))))].join(', ');
	const took = calls.reduce((sum, {milliseconds = 0}) => sum + milliseconds, 0);
	const head = `${palette.dim(palette.spoken ? 'Tools done:' : '✓')} ${counts.charAt(0).toUpperCase()}${counts.slice(1)}`;
	return clockRow(clockOf(took), style, width => truncate(`${head}${palette.dim(` · ${subjects}`)}`, width));
}

function subjectOf({name, arguments: args}: Tool): string {
	return name === 'read_file' ? pathOf({arguments: args}) : callWords(name, args).subject;
}

function pathOf({arguments: {path}}: Pick<Tool, 'arguments'>): string {
	return typeof path === 'string' ? path : '';
}
