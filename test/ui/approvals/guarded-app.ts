import fc from 'fast-check';
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
export const panels: Readonly<Record<string, (askedAt: number) => Panel>> = {
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

/** What a user and the program do, in any order. */
export type Step =
	| {readonly type: 'press'; readonly key: string}
	| {readonly type: 'hold'; readonly key: string; readonly times: number}
	| {readonly type: 'wait'; readonly ms: number}
	| {readonly type: 'open'; readonly panel: string}
	/** Somebody else answered, or the run ended. */
	| {readonly type: 'withdraw'}
	| {readonly type: 'resize'; readonly columns: number; readonly rows: number};

const key = fc.constantFrom('y', 's', 'f', 'n', 'e', 'h', ' ', '1', keys.enter, keys.backspace, keys.down, keys.up);
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
	{weight: 6, arbitrary: fc.record({type: fc.constant('press' as const), key})},
	fc.record({type: fc.constant('press' as const), key: fc.constantFrom('yes', 'stop', `${esc}[200~y\ns${esc}[201~`)}),
	fc.record({type: fc.constant('hold' as const), key, times: fc.integer({min: 2, max: 12})}),
	{
		weight: 3,
		arbitrary: fc.record({type: fc.constant('wait' as const), ms: fc.constantFrom(30, 499, 999, 1000, 5000)}),
	},
	fc.record({type: fc.constant('open' as const), panel: fc.constantFrom(...Object.keys(panels))}),
	fc.constant({type: 'withdraw'} as const),
	fc.record({
		type: fc.constant('resize' as const),
		columns: fc.integer({min: 10, max: 200}),
		rows: fc.integer({min: 3, max: 60}),
	}),
);

/** Creates an app whose panels close when they are answered, with what it was answered and by which key. */
export function guardedApp() {
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

/** The answers that agree to something. An answer in words is typed in its own field first. */
const meant = new Set(['once', 'session', 'folder', 'edit', 'yes', 'Yes, delete it', 'own words', 'Send', 'Yes', 'a']);

/** How long a question must be shown, and no other key pressed, before a key answers it. */
const shownMs = 500;
const quietMs = 1000;

/** Returns what was agreed to without the user having meant it, and what they meant that was not heard (SAFETY 4). */
export function playSteps(steps: readonly Step[]): readonly string[] {
	const app = guardedApp();
	const problems: string[] = [];
	for (const each of steps) {
		switch (each.type) {
			case 'open':
				app.open(each.panel);
				break;
			case 'withdraw':
				app.store.getState().closePanel();
				break;
			case 'resize':
				app.store.setState({size: {columns: each.columns, rows: each.rows}});
				break;
			case 'wait':
				app.wait(each.ms);
				break;
			case 'hold':
				for (let time = 0; time < each.times; time++) {
					app.press(each.key);
					app.wait(30);
				}

				break;
			default: {
				const {note} = app.store.getState().guard;
				const {before, after} = app.press(each.key);
				const said = app.store.getState().guard.note;
				if (said.includes('ignored') && said !== note && after !== before) {
					problems.push(`“${each.key}” was ignored, and is in the draft`);
				}
			}
		}
	}

	for (const agreed of app.agreed.filter(({value}) => meant.has(value))) {
		if (agreed.draft !== '' || agreed.quietMs < quietMs || agreed.shownMs < shownMs) {
			problems.push(
				`agreed to “${agreed.value}” with the draft “${agreed.draft}”, ${agreed.quietMs} ms after a key, ${agreed.shownMs} ms after the question`,
			);
		}
	}

	return [...problems, ...unheard(app)];
}

/** A user who waits, looks, and presses the key that a question names is heard, whatever happened before. */
function unheard(app: ReturnType<typeof guardedApp>): readonly string[] {
	app.store.getState().closePanel();
	if (app.prompt() !== '') {
		app.press(keys.ctrlC);
	}

	app.wait(quietMs);
	app.open('approval');
	app.wait(quietMs);
	const {length} = app.agreed;
	app.press('y');
	return app.agreed.length > length ? [] : [`“y” was not heard: ${JSON.stringify(app.store.getState().guard)}`];
}
