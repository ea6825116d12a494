import {existsSync, readFileSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {expect, test} from 'vitest';
import {AppError} from '../../../src/core/error.ts';
import {setComposerText} from '../../../src/editor/editor.ts';
import {emptyComposer} from '../../../src/editor/editor-state.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {editPrompt} from '../../../src/ui/prompt/edit-prompt.ts';
import {keys, pasted, typed} from '../../store/composer-helpers.ts';

/** A prompt, and what an editor does to its file. */
function promptIn(edit: (path: string) => void, composer = setComposerText(emptyComposer, 'draft')) {
	const store = createAppStore();
	store.getState().setComposer(composer);
	const paths: string[] = [];
	const interact = {
		async editFile(path: string) {
			paths.push(path);
			edit(path);
		},
		say: (text: string) => store.getState().setToast(text),
	};
	return {store, paths, done: editPrompt({store, interact, now: () => 7})};
}

test('the prompt becomes what the editor saved, its pastes are text there, and undo brings it back', async () => {
	const seen: unknown[] = [];
	const {store, paths, done} = promptIn(
		path => {
			seen.push(readFileSync(path, 'utf8'), statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777);
			writeFileSync(path, 'new\r\ntext\n');
		},
		typed(`see ${pasted('1\n2\n3')}`).state,
	);
	const before = store.getState().composer.text;
	await done;
	expect(seen).toEqual(['see 1\n2\n3\n', 0o600, 0o700]);
	const {composer, typedAt} = store.getState();
	expect([composer.text, composer.caret, typedAt]).toEqual(['new\ntext', 8, 7]);
	expect(typed(keys.undo, composer).state.text).toBe(before);
	expect(paths.filter(path => existsSync(dirname(path)))).toEqual([]);
});

test('saving nothing new keeps the prompt as it is, with its pastes', async () => {
	const {store, done} = promptIn(() => undefined, typed(`${pasted('1\n2\n3')}\\\r`).state);
	const before = store.getState().composer;
	await done;
	expect(store.getState().composer).toBe(before);
});

test.each<[string, (path: string) => void, string]>([
	[
		'fails',
		() => {
			throw new AppError('failed', 'The editor ended with status 1.', {hint: 'x'});
		},
		'The editor ended with status 1. Your draft is unchanged.',
	],
	[
		'is not set',
		() => {
			throw new AppError('usage', 'No editor is set.', {hint: 'Set one.'});
		},
		'No editor is set. Set one.',
	],
	[
		'saves too much',
		path => truncateSync(path, 8 * 1024 * 1024 + 1),
		'The text is larger than 8 MB. Your draft is unchanged.',
	],
])('an editor that %s leaves the prompt, and says so', async (_, edit, said) => {
	const {store, paths, done} = promptIn(edit);
	await done;
	expect([store.getState().composer.text, store.getState().toast]).toEqual(['draft', said]);
	expect(paths.filter(path => existsSync(dirname(path)))).toEqual([]);
});
