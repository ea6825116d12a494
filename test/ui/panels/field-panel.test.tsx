import {describe, expect, test} from 'vitest';
import type {Panel} from '../../../src/ui/panels/panels.ts';
import {openPanel} from './open-panel.tsx';

describe('a field', () => {
	test('that is masked never shows the typed text, and returns it [11]', async () => {
		const {answers, panelLines, written, feed} = await openPanel({
			kind: 'field',
			label: 'Key of OpenAI:',
			masked: true,
		});
		await feed('sk-12345');
		expect(panelLines()[0]).toBe('? Key of OpenAI: ••••••••');
		await feed('enter');
		expect(answers).toEqual(['sk-12345']);
		expect(written.join('')).not.toMatch(/sk-|1234/);
	});

	test('that is not masked shows it', async () => {
		const {answers, panelLines, feed} = await openPanel({kind: 'field', label: 'Address:', masked: false});
		await feed('http://x', 'enter');
		expect(panelLines()[0]).toBe('? Address: http://x');
		expect(answers).toEqual(['http://x']);
	});

	const long: Panel = {kind: 'field', label: 'The key of a provider with a name:', masked: true};

	test('shows a long label whole, and the typed text below it', async () => {
		const {panelLines, feed} = await openPanel(long, 30, 14);
		await feed('1234');
		expect(panelLines()).toEqual(['? The key of a provider with a', '  name: ••••', '  Enter confirm · Esc cancel']);
	});

	test('leaves the typed text a row of its own if a label fills its row', async () => {
		const {panelLines, feed} = await openPanel({...long, label: 'Save the recovery codes (leave blank):'}, 48, 24);
		await feed('1234');
		expect(panelLines()).toEqual([
			'? Save the recovery codes (leave blank):',
			'  ••••',
			'  Enter confirm · Esc cancel',
		]);
	});

	test('leaves room for the typed text after a long label in a low window', async () => {
		const {lines, feed} = await openPanel({...long, label: `${long.label} ${'and more '.repeat(9)}`}, 30, 5);
		await feed('1234');
		expect(lines().slice(0, 3)).toEqual(['? The key of a provider with …', '  ••••', '  Enter confirm · Esc cancel']);
	});

	test.each([
		[24, 6],
		[20, 5],
	])('shows its keys below a long label in a window of %d x %d', async (columns, rows) => {
		const {lines, feed} = await openPanel(long, columns, rows);
		await feed('1234');
		expect(lines().join('\n')).toMatch(/•••• *\n {2}Enter.*Esc/);
	});
});
