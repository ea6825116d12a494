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
	agent: 'another agent',
};

/**
 * Returns how the files are drawn that are as the agent left them, and that nobody saw; below them, what shows their changes:
 * git only in a repository.
 */
export function unseenDrawing({files, fault}: Unseen, root: string, isRepository: boolean): SubjectDrawing {
	const rows = files.map(file => `${exactLine(nameFile(file, root))}  changed by ${changers[file.by]}`);
	const git = isRepository ? ', git those since the last commit' : '';
	const hint = `\`/diff\` shows the changes of this session, \`/diff <session>\` those of an earlier one${git}.`;
	return rowsDrawing(
		'Changed by the agent, and seen by nobody',
		[...(fault === undefined ? [] : [exactLine(fault)]), ...rows, hint].map(text => ({text, indent: '  '})),
	);
}
