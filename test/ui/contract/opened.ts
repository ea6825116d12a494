import {drawingOfCommand} from '../../../src/command/approvals/subject-drawing.ts';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import type {Cell} from './cell.ts';

/** What can be open: keys that open it, or a panel. */
export type Opened = string | Panel;

/** What can be open while a storm of sizes goes on, and the keys or the panel that open it. */
export const opened = {
	'a picker': {
		kind: 'pick',
		title: 'Model',
		choices: Array.from({length: 40}, (_, index) => ({
			label: `model ${index}`,
			id: `m${index}`,
			detail: 'a detail '.repeat(9),
		})),
	},
	'a table': {
		kind: 'table',
		title: 'Runs',
		columns: [{label: 'id', whole: true}, {label: 'name'}, {label: 'note', spare: true}],
		rows: Array.from({length: 40}, (_, index) => [`r${index}`, 'a name '.repeat(4), 'a note '.repeat(9)]),
	},
	'a question': {
		kind: 'ask',
		question: 'Which of these do you want? '.repeat(12),
		choices: Array.from({length: 6}, (_, index) => ({
			label: `choice ${index}`,
			description: 'what it means '.repeat(6),
		})),
		askedAt: 0,
		isFollowUp: false,
	},
	'an approval': {
		kind: 'confirm',
		question: 'Run this command?',
		subject: drawingOfCommand('npm install a-package '.repeat(9), false),
		about: {facts: [['Sandbox', 'with network, writes only in this folder']]},
		answers: ['y', 's', 'f', 'e', 'r'].map(key => ({key, label: `Answer ${key} to it`, value: key})),
		askedAt: -5000,
	},
	'a short approval': {
		kind: 'confirm',
		question: 'Run this command?',
		subject: drawingOfCommand('npm install a-package '.repeat(3), false),
		answers: ['y', 'r'].map(key => ({key, label: `Answer ${key} to it`, value: key})),
		askedAt: -5000,
	},
	'a text': {kind: 'edit', label: 'Memory', does: 'save', text: 'words to change\n'.repeat(20)},
	'the settings': '/settings\r',
	'the review of changes': '/review-one\r',
	'the log viewer': '\u0007',
} as const satisfies Readonly<Record<string, Opened>>;

/** Opens it, and waits until it is open. */
export async function show({app}: Cell, what: Opened) {
	if (typeof what !== 'string') {
		openPanel(app.store, what);
		return;
	}

	await app.type(what);
	const isOpen = () => app.store.getState().panel !== undefined || app.terminal.window()[0] === 'Changes';
	await app.waitFor(() => !what.startsWith('/') || isOpen());
}

export async function hide({app}: Cell, what: Opened) {
	if (typeof what === 'string') {
		await app.type('\u001b');
	} else {
		app.store.getState().closePanel();
	}
}
