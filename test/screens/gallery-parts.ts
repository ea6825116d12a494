import type {FileChange} from '../../src/core/session/event.ts';
import type {Panel} from '../../src/store/view-slice.ts';
import {drawingOfCommand} from '../../src/ui/approvals/subject-drawing.ts';
import {drawingOf} from '../../src/ui/transcript/diff-lines.ts';

/** Returns the question whether a file may be changed, as it is asked about an edit. */
export function userQuestion(change: FileChange): Panel {
	return {
		kind: 'confirm',
		question: `Write ${change.path}?`,
		subject: drawingOf(change),
		answers: [
			{key: 'y', label: 'yes', value: 'yes'},
			{key: 'a', label: 'all edits in this session', value: 'all'},
		],
		// Long ago, so that keys answer it at once.
		askedAt: -10_000,
	};
}

/** The question whether a command may run. */
export const commandQuestion: Panel = {
	kind: 'confirm',
	question: 'Run this command?',
	subject: drawingOfCommand('npm install stripe --save-exact', false),
	about: {
		facts: [
			['Network', 'allowed: registry.npmjs.org'],
			['Asked', 'because it may change package.json'],
		],
	},
	answers: [
		{key: 'y', label: 'once', value: 'once'},
		{key: 's', label: 'allow npm install * this session', value: 'session'},
		{key: 'f', label: 'always in this folder', value: 'folder'},
		{key: 'e', label: 'edit', value: 'edit'},
		{key: 'r', label: 'no, and say why', value: 'reason'},
	],
	askedAt: -10_000,
};
