import {expect, test} from 'vitest';
import {setComposerText} from '../../../src/editor/editor.ts';
import {setHistory} from '../../../src/editor/editor-history.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';
import {searchHistory} from '../../../src/ui/panels/search-history.ts';
import {runApp} from '../running-app.ts';

const ctrlR = '\u0012';

function opened({history = ['list the files', '/usage', 'fix\n\nit \u001b[2J', '/usage'], text = ''} = {}) {
	const store = createAppStore();
	const {composer, setComposer} = store.getState();
	setComposer(setComposerText(setHistory(composer, history), text));
	const interact = createPanelInteraction(store);
	return {store, interact, done: searchHistory(store, interact), prompt: () => store.getState().composer.text};
}

test('earlier prompts are offered once each, the latest first, on one line', async () => {
	const {store, interact, done, prompt} = opened();
	expect(store.getState().panel).toEqual({
		kind: 'pick',
		title: 'Earlier prompts',
		choices: [
			{id: '0', label: '/usage'},
			{id: '1', label: 'fix it \u001b[2J'},
			{id: '2', label: 'list the files'},
		],
	});
	interact.answer('1');
	await done;
	expect([prompt(), store.getState().completion]).toEqual(['fix\n\nit \u001b[2J', -1]);
});

test('the text of the prompt is the filter, and stays if none is selected', async () => {
	const {store, interact, done, prompt} = opened({text: 'the\nfiles'});
	expect(store.getState().filter).toMatchObject({text: 'the files', caret: 9});
	interact.answer(undefined);
	await done;
	expect(prompt()).toBe('the\nfiles');
});

test('it reports an empty history', async () => {
	const {store, done} = opened({history: []});
	await done;
	expect([store.getState().panel, store.getState().toast]).toEqual([undefined, 'No earlier prompts.']);
});

test('Ctrl+R, a word and Enter bring a prompt back, and Enter sends it', async () => {
	const {store, type, waitFor, lines} = runApp();
	await waitFor('Demo model');
	store.getState().setComposer(setHistory(store.getState().composer, ['/ghost of it', '/usage', 'hello']));
	type(ctrlR);
	await waitFor('Earlier prompts (3) · Enter select · Esc cancel');
	type('ghost\r');
	await waitFor('❯ /ghost of it');
	expect(lines().join('\n')).not.toContain('Earlier prompts');
	type('\r');
	await waitFor('Unknown command “ghost”.');
});
