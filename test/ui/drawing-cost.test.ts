import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {type} from '../../src/editor/editor-edit.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {followSavedSessions} from '../../src/ui/panels/saved-sessions.ts';
import {followEntries, followMention, mentionSuggestions} from '../../src/ui/prompt/follow-prompt.ts';
import {createSuggestions} from '../../src/ui/suggestions.ts';
import {countCharacters} from '../steps.ts';
import {mostFor} from '../stored-cost.ts';
import {conversation, nextTurn} from './drawing.ts';

/** An answer with paragraphs, a list and code, a word at a time. */
const answer = Array.from({length: 20}, (_, part) =>
	part % 4 === 1
		? '- one item of a list\n- another item\n\n'
		: part % 4 === 3
			? '```ts\nconst value = await answerOf(question);\nreturn value;\n```\n\n'
			: 'A paragraph with **some** words and `code` that goes on until it has wrapped at least once or twice, whatever the width of the window is today.\n\n',
)
	.join('')
	.match(/\S+\s*/g);

/**
 * Costs that are the same on every machine: bytes to the terminal, frames, and renders, each with a layout. Lower the
 * figure when a change makes one cheaper; a raise needs a reason in the commit.
 */
test.each([
	{columns: 100, rows: 30, bytes: 19_810, frames: 360, renders: 0},
	{columns: 40, rows: 10, bytes: 22_055, frames: 360, renders: 0},
	{columns: 20, rows: 5, bytes: 23_580, frames: 360, renders: 0},
])('an answer in a window of $columns x $rows costs no more than it did', async ({columns, rows, ...stored}) => {
	const {feed, written, renders} = conversation(columns, rows);
	// Without the start of a run, so that no clock adds frames.
	await feed({type: 'user-message', id: 'u', text: 'Go'});
	const before = {writes: written.length, renders: renders()};
	for (const text of answer ?? []) {
		await feed({type: 'text-delta', id: 't', messageId: 'a', text});
	}

	const data = written.slice(before.writes);
	const found = {
		bytes: Buffer.byteLength(data.join('')),
		frames: data.length,
		renders: renders() - before.renders,
	};
	expect(answer?.length).toBeGreaterThan(350);
	for (const name of ['bytes', 'frames', 'renders'] as const) {
		expect(found[name], `${name} ${JSON.stringify(found)}`).toBeLessThanOrEqual(mostFor(stored[name]));
	}
});

test('a key is one frame of at most 30 bytes, and no render', async () => {
	const {store, written, renders} = conversation(100, 30);
	await nextTurn();
	for (const key of 'some words that are typed') {
		const before = written.length;
		const renderedBefore = renders();
		const {composer, setComposer} = store.getState();
		setComposer(type(composer, key));
		await nextTurn();
		const data = written.slice(before);
		expect(data).toHaveLength(1);
		expect(renders() - renderedBefore).toBe(0);
		// The first key replaces the placeholder.
		expect(Buffer.byteLength(data.join(''))).toBeLessThanOrEqual(store.getState().composer.text.length === 1 ? 60 : 30);
	}
});

test('a key in a long prompt costs as much as in a short one, with all that follows the prompt', async () => {
	const cost = async (lines: number) => {
		const {store} = conversation(100, 30);
		const stops = [
			followEntries(store, async () => undefined),
			followMention(store, () => undefined),
			followSavedSessions({store, entries: () => commands, list: async () => []}),
		];
		store.getState().setSuggestMentions(mentionSuggestions);
		const suggestions = createSuggestions(() => commands);
		const {setComposer} = store.getState();
		setComposer(setComposerText(emptyComposer, 'line of text, 日本語 👩‍👩‍👧\n'.repeat(lines)));
		const press = async (key: string) => {
			setComposer(type(store.getState().composer, key));
			suggestions(store.getState());
			await nextTurn();
		};
		await press('a');
		const count = countCharacters();
		for (const key of 'some words that are typed') {
			await press(key);
		}

		const characters = count();
		for (const stop of stops) {
			stop();
		}

		return characters;
	};
	expect(await cost(8000)).toBeLessThan(1.5 * (await cost(500)));
});

test('a token that fits in its row writes little more than itself', async () => {
	const {feed, written} = conversation(100, 30);
	await feed({type: 'text-delta', id: 't', messageId: 'a', text: 'One'});
	const before = written.length;
	await feed({type: 'text-delta', id: 't', messageId: 'a', text: ' two'});
	const data = written.slice(before).join('');
	expect(data).toContain(' two');
	expect(data).not.toContain('One');
	expect(Buffer.byteLength(data)).toBeLessThanOrEqual(60);
});
