import {expect, test} from 'vitest';
import {addToHistory} from '../../src/ui/kept-prompts.ts';

test('a prompt is added after the others', () => {
	expect(addToHistory(['a'], ' b\nc ')).toEqual(['a', 'b\nc']);
});

test('blank prompts and the same one twice in a row are not added', () => {
	expect(addToHistory(['a'], ' \n')).toEqual(['a']);
	expect(addToHistory(['a'], 'a')).toEqual(['a']);
	expect(addToHistory(['a', 'b'], 'a')).toEqual(['a', 'b', 'a']);
});

test('the oldest prompts are dropped', () => {
	expect(addToHistory(['a', 'b', 'c'], 'd', 3)).toEqual(['b', 'c', 'd']);
});
