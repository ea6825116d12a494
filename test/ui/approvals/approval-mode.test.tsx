import {describe, expect, test} from 'vitest';
import {approvalModes} from '../../../src/core/session/approval.ts';
import {setComposerText} from '../../../src/editor/editor.ts';
import {App} from '../../../src/ui/app.tsx';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {draw} from '../frame.ts';
import {esc, handler} from '../key-presses.ts';
import {openLog} from '../log-parts.ts';

const shiftTab = `${esc}[Z`;

describe('Shift+Tab', () => {
	test.each([
		['while idle', {}],
		['during a run', {running: true}],
		['with text in the prompt', {text: 'half a'}],
	])('walks through the modes %s, and says what each allows', (_, given) => {
		const {press, store, toast, prompt} = handler(given);
		const seen = approvalModes.map(() => {
			press(shiftTab);
			return [store.getState().approvalMode, toast()];
		});
		expect(seen).toEqual([
			['edits', "Edits mode: edits in this folder don't ask. Shift+Tab: next"],
			['plan', 'Plan mode: the agent reads, then proposes a plan. Shift+Tab: next'],
			['all', "All mode: edits and sandboxed commands don't ask. Shift+Tab: next"],
			['ask', 'Ask mode: edits and commands ask first. Shift+Tab: next'],
		]);
		expect(prompt()).toBe('text' in given ? given.text : '');
	});

	test('works while logs are open', () => {
		const {press, store} = handler();
		store.getState().addLog(openLog());
		press(shiftTab);
		expect(store.getState().approvalMode).toBe('edits');
	});

	test.each([
		['a question', {kind: 'confirm', question: 'Sure?', askedAt: 0} as const],
		['a picker', {kind: 'pick', title: 'Pick', choices: [{id: 'a', label: 'A'}]} as const],
	])('changes nothing while %s is open', (_, panel) => {
		const {press, store, wait} = handler({text: 'x'});
		openPanel(store, panel);
		wait(2000);
		press(shiftTab);
		expect(store.getState().approvalMode).toBe('ask');
	});
});

test.each([
	['ask', '❯ hello', 8],
	['edits', 'edits ❯ hello', 14],
	['all', 'all ❯ hello', 12],
	['plan', 'plan ❯ hello', 13],
] as const)(
	'the prompt and the status name the mode %s in words, and the cursor is behind the text',
	async (mode, row, column) => {
		const {store, lines, cursor, settle} = draw(<App />, {columns: 80, rows: 24});
		const {composer, setComposer, setApprovalMode} = store.getState();
		setApprovalMode(mode);
		setComposer(setComposerText(composer, 'hello'));
		await settle();
		expect(lines().slice(-2)).toEqual([row, `local starting… · ○ idle${mode === 'ask' ? '' : ` · ${mode} mode`}`]);
		expect(cursor()).toEqual({row: lines().length - 2, column: column - 1});
	},
);

test('a prompt of several lines stays aligned behind the name of the mode, also in a narrow window', async () => {
	const {store, lines, settle} = draw(<App />, {columns: 20, rows: 8});
	const {composer, setComposer, setApprovalMode} = store.getState();
	setApprovalMode('edits');
	setComposer(setComposerText(composer, 'one two three four'));
	await settle();
	expect(lines().slice(-3)).toEqual(['edits ❯ one two', '        three four', '○ idle · edits mode']);
});
