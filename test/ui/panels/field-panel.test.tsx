import {describe, expect, test} from 'vitest';
import type {Panel} from '../../../src/store/view-slice.ts';
import {keyToken, textToken} from '../../../src/terminal/input/token.ts';
import {App} from '../../../src/ui/app.tsx';
import {pressInField} from '../../../src/ui/panels/field-keys.ts';
import {draw, panelOf} from '../frame.ts';

/** Opens the field in the app and collects its answers. */
async function open(panel: Panel, columns = 80, rows = 24) {
	const answers: (string | undefined)[] = [];
	const drawn = draw(<App />, {columns, rows, answer: value => answers.push(value)});
	drawn.store.getState().setPanel(panel);
	await drawn.settle();
	const feed = async (...words: readonly string[]) => {
		for (const word of words) {
			pressInField(word === 'enter' ? keyToken('enter') : textToken(word), {
				store: drawn.store,
				answer: value => answers.push(value),
			});
		}

		await drawn.settle(40);
	};

	return {...drawn, answers, feed, panelLines: () => panelOf(drawn.lines())};
}

describe('a field', () => {
	test('that is masked never shows the typed text, and returns it [11]', async () => {
		const {answers, panelLines, written, feed} = await open({kind: 'field', label: 'Key of OpenAI:', masked: true});
		await feed('sk-12345');
		expect(panelLines()[0]).toBe('? Key of OpenAI: ••••••••');
		await feed('enter');
		expect(answers).toEqual(['sk-12345']);
		expect(written.join('')).not.toMatch(/sk-|1234/);
	});

	test('that is not masked shows it', async () => {
		const {answers, panelLines, feed} = await open({kind: 'field', label: 'Address:', masked: false});
		await feed('http://x', 'enter');
		expect(panelLines()[0]).toBe('? Address: http://x');
		expect(answers).toEqual(['http://x']);
	});

	const long: Panel = {kind: 'field', label: 'The key of a provider with a name:', masked: true};

	test('shows a long label whole, and the typed text below it', async () => {
		const {panelLines, feed} = await open(long, 30, 14);
		await feed('1234');
		expect(panelLines()).toEqual(['? The key of a provider with a', '  name: ••••', '  Enter confirm · Esc cancel']);
	});

	test('leaves the typed text a row of its own if a label fills its row', async () => {
		const {panelLines, feed} = await open({...long, label: 'Save the recovery codes (leave blank):'}, 48, 24);
		await feed('1234');
		expect(panelLines()).toEqual([
			'? Save the recovery codes (leave blank):',
			'  ••••',
			'  Enter confirm · Esc cancel',
		]);
	});

	test('leaves room for the typed text after a long label in a low window', async () => {
		const {lines, feed} = await open(long, 30, 5);
		await feed('1234');
		expect(lines()[0]).toMatch(/^\? The key .*… ••••$/);
	});
});
