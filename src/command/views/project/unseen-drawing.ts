import {nameFile, type Unseen} from '../../../agent/unseen/start-gate.ts';
import type {Changer} from '../../../agent/unseen/unseen-ledger.ts';
import {exactLine} from '../../../terminal/text/blanks.ts';
import type {SubjectDrawing} from '../../../terminal/text/drawing.ts';
import {rowsDrawing} from './trust-view.ts';

const changers: Readonly<Record<Changer, string>> = {
	edit: 'an edit',
	command: 'a command',
	hook: 'a hook',
	'MCP server': 'an MCP server',
};

/** Returns how the files are drawn that are as the agent left them, and that nobody saw. */
export function unseenDrawing({files, fault}: Unseen, root: string): SubjectDrawing {
	const rows = files.map(file => `${exactLine(nameFile(file, root))}  changed by ${changers[file.by]}`);
	const hint = '`/diff` shows the changes of this session, git those since the last commit.';
	return rowsDrawing(
		'Changed by the agent, and seen by nobody',
		[...(fault === undefined ? [] : [exactLine(fault)]), ...rows, hint].map(text => ({text, indent: '  '})),
	);
}
