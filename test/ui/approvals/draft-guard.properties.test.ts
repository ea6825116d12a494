import fc from 'fast-check';
import {expect, test} from 'vitest';
import {keys} from '../key-presses.ts';
import {anyStep, guardedApp, panels, playSteps} from './guarded-app.ts';

test('[4] no key answers a panel that opened by itself while there is a draft, or within a second of another key', () => {
	fc.assert(
		fc.property(fc.array(anyStep, {maxLength: 40}), steps => {
			expect(playSteps(steps)).toEqual([]);
		}),
		{numRuns: 1000},
	);
});

test('[4] a key that is held down from before, or in a question, agrees to nothing', () => {
	for (const name of Object.keys(panels)) {
		for (const held of ['y', 's', 'f', '1', keys.enter]) {
			for (const from of [0, 400, 700, 2000]) {
				const {press, wait, open, asked} = guardedApp();
				press(held);
				open(name);
				// The first repetition of a key comes later than the others.
				wait(from);
				const isFresh = from >= 1000;
				for (let time = 0; time < 100; time++) {
					if (!isFresh) {
						press(held);
					}

					wait(33);
				}

				expect(asked.filter(said => said.startsWith('answer '))).toEqual([]);
			}
		}
	}
});

test.each(['s', 'f'])(
	'[4] %s keeps nothing while it is held, and something once it is pressed again after a pause',
	held => {
		const {press, wait, open, agreed, store} = guardedApp();
		open('approval');
		wait(1000);
		press(held);
		wait(660);
		for (let time = 0; time < 100; time++) {
			press(held);
			wait(33);
		}

		expect(agreed).toEqual([]);
		wait(1000);
		expect(store.getState().guard.armed).toBe(held === 's' ? 'session' : 'folder');
		press(held);
		expect(agreed.map(({value}) => value)).toEqual([held === 's' ? 'session' : 'folder']);
	},
);

test.each([
	['Enter', keys.enter],
	['the arrows and Enter', `${keys.up}${keys.enter}`],
])('[4] what a key would keep is kept with %s', (_, pressed) => {
	const {press, wait, open, asked} = guardedApp();
	open('approval');
	wait(1000);
	press(pressed === keys.enter ? 's' : keys.up);
	wait(1000);
	press(...([pressed.slice(pressed === keys.enter ? 0 : keys.up.length)] as const));
	expect(asked).toEqual([pressed === keys.enter ? 'answer session' : 'answer edit']);
});

test('[4] Tab moves to the question and back, and each side gets the keys only while it has them', () => {
	const {press, wait, open, asked, prompt, store} = guardedApp();
	press('wait');
	open('approval');
	wait(5000);
	press('y');
	expect([asked, prompt()]).toEqual([[], 'waity']);
	press(keys.tab);
	press('y');
	expect([asked, prompt(), store.getState().guard.note]).toEqual([
		[],
		'waity',
		'“y” ignored: wait a second, then press it again',
	]);
	wait(1000);
	press(keys.tab);
	wait(5000);
	press('y');
	expect([asked, prompt()]).toEqual([[], 'waityy']);
	press(keys.tab);
	wait(1000);
	press('y');
	expect([asked, prompt()]).toEqual([['answer once'], 'waityy']);
});

test('[4] “stop”, typed on after the Enter that sent a message, neither allows anything nor stays in the draft', () => {
	const {press, wait, open, asked, prompt} = guardedApp();
	press('go on');
	press(keys.enter);
	open('approval');
	for (const letter of 'stop') {
		wait(180);
		press(letter);
	}

	wait(180);
	press(keys.enter);
	expect([asked, prompt()]).toEqual([['submit go on'], '']);
});

test('[4] one yes answers one question: the next one wants a pause', () => {
	const {press, wait, open, asked} = guardedApp();
	open('approval');
	wait(1000);
	press('y');
	open('approval');
	wait(999);
	press('y');
	expect(asked).toEqual(['answer once']);
	wait(1000);
	press('y');
	expect(asked).toEqual(['answer once', 'answer once']);
});
