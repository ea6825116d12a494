import {expect, test} from 'vitest';
import {untilAnswerable} from '../../../src/ui/answerable.ts';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {runApp} from '../running-app.ts';

const question = {kind: 'confirm', question: 'Run it?', askedAt: -10_000} as const;

/** The question is still open, and the key was dropped. */
const unanswered = [question, ''];

function open() {
	const app = runApp();
	const state = () => [app.store.getState().panel, app.store.getState().composer.text];
	return {...app, state};
}

test('[4] the key after the one that closes a view does not answer the question below it', async () => {
	const {type, waitFor, store, state} = open();
	await waitFor('Ask something');
	type('\u000f');
	await waitFor('Transcript');
	openPanel(store, question);
	type('qy');
	await expect.poll(state, {interval: 5}).toEqual(unanswered);
});

test('[4] no key answers a question in a window that is too small to show it', async () => {
	const {type, waitFor, store, state, resize} = open();
	await waitFor('Ask something');
	openPanel(store, question);
	await waitFor('Run it?');
	resize(10, 3);
	await expect.poll(() => store.getState().inSightSince, {interval: 5}).toBe(Number.POSITIVE_INFINITY);
	type('y');
	await expect.poll(state, {interval: 5}).toEqual(unanswered);
	resize(80, 24);
	await expect.poll(() => Number.isFinite(store.getState().inSightSince), {interval: 5}).toBe(true);
});

test('[4] keys answer a question that has been in sight for half a second, if the user does not type', () => {
	const until = (typedAt: number | undefined, inSightSince: number) =>
		untilAnswerable({askedAt: 1000}, {typedAt, inSightSince}, 2000);
	expect(until(undefined, Number.NEGATIVE_INFINITY)).toBe(-500);
	expect(until(undefined, 1800)).toBe(300);
	expect(until(1900, 1800)).toBe(900);
	expect(until(undefined, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
});
