import type {FolderAgent} from '../../storage/folder-agents.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';

/** The most cells of the name of a session. */
const maxName = 24;

const doing = {running: 'works', waiting: 'waits'} as const;

/** Returns what is said of the agents of other processes in the folder, in a strip; '' without any. Names are drawn safely. */
export function othersText(others: readonly FolderAgent[]): string {
	const [first, ...more] = others;
	if (!first) {
		return '';
	}

	const names = others.map(({about}) => truncate(safeLine(about), maxName)).filter(Boolean);
	const who = more.length > 0 ? `${others.length} other sessions work` : `another session ${doing[first.state]}`;
	return [`${who} in this folder`, names.join(', ')].filter(Boolean).join(': ');
}

/** Does the same for a line of its own. */
export function othersNote(others: readonly FolderAgent[]): string {
	const text = othersText(others);
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
