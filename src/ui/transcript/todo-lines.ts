import {currentItem, type TodoItem, todoProgress} from '../../core/session/todo.ts';
import {plainRole} from '../../terminal/text/role.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {truncate} from '../../terminal/text/width.ts';

type Style = {readonly rows: number; readonly width: number; readonly palette: Palette};

const signs = {done: '✓', active: '▸', pending: '○'} as const;

/**
 * Returns the agent's list of steps in at most `rows` lines. A longer list shows the steps around the current one, with how
 * far the whole is; in one row, only that.
 */
export function todoLines(items: readonly TodoItem[], {rows, width, palette}: Style): readonly string[] {
	const progress = palette.dim(`  ${safeLine(todoProgress(items))}`);
	if (rows <= 1 && items.length > 1) {
		return [truncate(progress, width)];
	}

	const isCut = items.length > rows;
	const room = isCut ? rows - 1 : rows;
	const current = currentItem(items);
	const index = current ? items.indexOf(current) : 0;
	const start = Math.max(0, Math.min(index - 1, items.length - room));
	const lines = items.slice(start, start + room).map(({text, state}) => {
		const role = {done: palette.success, active: palette.accent, pending: palette.dim}[state];
		const words = {done: palette.dim, active: palette.label, pending: plainRole}[state];
		return `  ${role(signs[state])} ${words(safeLine(text))}`;
	});
	return [...lines, ...(isCut ? [progress] : [])].map(line => truncate(line, width));
}

/** Returns the list as lines for a screen reader: each step with its state in words. */
export function spokenTodo(items: readonly TodoItem[]): readonly string[] {
	return items.map(({text, state}) => `${state}: ${safeLine(text)}`);
}
