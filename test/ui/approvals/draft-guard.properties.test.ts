import fc from 'fast-check';
import {expect, test} from 'vitest';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {esc, handler, keys} from '../key-presses.ts';

const life = 'this session · until you leave it';
const rules = ['npm test *'];
const approval = {
	kind: 'confirm',
	question: 'Run this command?',
	answers: [
		{key: 'y', label: 'Yes, once', value: 'once'},
		{key: 's', label: 'Yes, and allow npm test * this session', value: 'session', keeps: {rules, life}},
		{key: 'f', label: 'Yes, and always in this folder', value: 'folder', keeps: {rules, life}},
		{key: 'e', label: 'Edit the command', value: 'edit'},
	],
} as const;
const choices = [{label: 'Yes, delete it'}, {label: 'Keep it'}];

/** Each panel that opens by itself. */
const panels: Readonly<Record<string, (askedAt: number) => Panel>> = {
	approval: askedAt => ({...approval, askedAt}),
	'yes or no': askedAt => ({kind: 'confirm', question: 'Quit?', askedAt}),
	'question of the agent': askedAt => ({kind: 'ask', question: 'Which?', choices, isFollowUp: false, askedAt}),
	'question in words': askedAt => ({kind: 'ask', question: 'Which?', choices: [], isFollowUp: false, askedAt}),
	'boolean of a form': askedAt => ({
		kind: 'ask',
		question: 'News?',
		choices: [{label: 'Yes'}, {label: 'No'}],
		isFollowUp: false,
		askedAt,
		form: {initial: '', mayBeEmpty: false, isNext: false},
	}),
	'last look at a form': askedAt => ({
		kind: 'ask',
		question: 'Send?',
		choices: [{label: 'Send'}, {label: 'Decline'}],
		isFollowUp: false,
		askedAt,
		form: {initial: '', mayBeEmpty: false, isNext: false, refusal: 'Decline'},
	}),
	list: askedAt => ({kind: 'pick', title: 'Select a model', choices: [{id: 'a', label: 'alpha'}], askedAt}),
};

type Step =
	| {readonly type: 'press'; readonly key: string}
	| {readonly type: 'hold'; readonly key: string; readonly times: number}
	| {readonly type: 'wait'; readonly ms: number}
	| {readonly type: 'open'; readonly panel: string};

const key = fc.constantFrom('y', 's', 'f', 'n', 'e', 'h', ' ', '1', keys.enter, keys.backspace, keys.down, keys.up);
const step: fc.Arbitrary<Step> = fc.oneof(
	{weight: 6, arbitrary: fc.record({type: fc.constant('press' as const), key})},
	fc.record({type: fc.constant('press' as const), key: fc.constantFrom('yes', 'stop', `${esc}[200~y\ns${esc}[201~`)}),
	fc.record({type: fc.constant('hold' as const), key, times: fc.integer({min: 2, max: 12})}),
	{
		weight: 3,
		arbitrary: fc.record({type: fc.constant('wait' as const), ms: fc.constantFrom(30, 499, 999, 1000, 5000)}),
	},
	fc.record({type: fc.constant('open' as const), panel: fc.constantFrom(...Object.keys(panels))}),
);

/** An app whose panels close when they are answered, with what it was answered and by which key. */
function world() {
	const app = handler({running: true});
	let now = 0;
	let lastKey = Number.NEGATIVE_INFINITY;
	let answered = 0;
	const agreed: {readonly value: string; readonly draft: string; readonly quietMs: number; readonly shownMs: number}[] =
		[];
	let openedAt = 0;
	return {
		...app,
		agreed,
		open(name: string) {
			openedAt = now;
			openPanel(app.store, panels[name]?.(now));
		},
		wait(ms: number) {
			now += ms;
			app.wait(ms);
		},
		/** Presses a key, and notes what it agreed to. Returns what it did to the draft. */
		press(pressed: string) {
			const draft = app.prompt();
			const {panel: before, filter} = app.store.getState();
			app.press(pressed);
			for (const said of app.asked.slice(answered)) {
				if (said.startsWith('answer ')) {
					const value = said.slice('answer '.length);
					if (!['undefined', 'Decline', 'Keep it', 'No'].includes(value)) {
						agreed.push({value, draft, quietMs: now - lastKey, shownMs: now - openedAt});
					}

					app.store.getState().closePanel();
				}
			}

			answered = app.asked.length;
			// Only keys that move in a panel let others answer at once.
			const isEdit = app.store.getState().filter !== filter;
			const moves = before !== undefined && draft === '' && [keys.up, keys.down, '1'].includes(pressed);
			lastKey = moves || isEdit ? lastKey : now;
			return {before: draft, after: app.prompt()};
		},
	};
}

test('[4] no key answers a panel that opened by itself while there is a draft, or within a second of another key', () => {
	fc.assert(
		fc.property(fc.array(step, {maxLength: 40}), steps => {
			const {press, wait, open, agreed, store} = world();
			for (const each of steps) {
				switch (each.type) {
					case 'open':
						open(each.panel);
						break;
					case 'wait':
						wait(each.ms);
						break;
					case 'hold':
						for (let time = 0; time < each.times; time++) {
							press(each.key);
							wait(30);
						}

						break;
					default: {
						const {note} = store.getState().guard;
						const {before, after} = press(each.key);
						const said = store.getState().guard.note;
						if (said.includes('ignored') && said !== note) {
							expect(after).toBe(before);
						}
					}
				}
			}

			// An answer in words is typed in its own field first.
			for (const {draft, quietMs, shownMs} of agreed.filter(({value}) => panelValues.has(value))) {
				expect(draft).toBe('');
				expect(quietMs).toBeGreaterThanOrEqual(1000);
				expect(shownMs).toBeGreaterThanOrEqual(500);
			}
		}),
		{numRuns: 1000},
	);
});

const panelValues = new Set([
	'once',
	'session',
	'folder',
	'edit',
	'yes',
	'Yes, delete it',
	'own words',
	'Send',
	'Yes',
	'a',
]);

test('[4] a key that is held down from before, or in a question, agrees to nothing', () => {
	for (const name of Object.keys(panels)) {
		for (const held of ['y', 's', 'f', '1', keys.enter]) {
			for (const from of [0, 400, 700, 2000]) {
				const {press, wait, open, asked} = world();
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
		const {press, wait, open, agreed, store} = world();
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
	const {press, wait, open, asked} = world();
	open('approval');
	wait(1000);
	press(pressed === keys.enter ? 's' : keys.up);
	wait(1000);
	press(...([pressed.slice(pressed === keys.enter ? 0 : keys.up.length)] as const));
	expect(asked).toEqual([pressed === keys.enter ? 'answer session' : 'answer edit']);
});

test('[4] Tab moves to the question and back, and each side gets the keys only while it has them', () => {
	const {press, wait, open, asked, prompt, store} = world();
	press('wait');
	open('approval');
	wait(5000);
	press('y');
	expect([asked, prompt()]).toEqual([[], 'waity']);
	press(keys.tab);
	press('y');
	expect([asked, prompt(), store.getState().guard.note]).toEqual([[], 'waity', '“y” ignored: press it again']);
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
	const {press, wait, open, asked, prompt} = world();
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
	const {press, wait, open, asked} = world();
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
