import {expect, test} from 'vitest';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {type Price, type Spent, totalCost} from '../../src/core/session/usage.ts';
import type {ModelEvent} from '../../src/providers/provider.ts';
import {call, finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const price: Price = {input: 10, cacheRead: 1, cacheWrite: 10, output: 10};

/** Returns a model whose requests cost two cents each, the first ones of each message with a call. */
function costly(calls = 0) {
	let asked = 0;
	let left = calls;
	return {
		asked: () => asked,
		openModel: async () =>
			async function* (): AsyncGenerator<ModelEvent> {
				asked += 1;
				yield {type: 'request', system: 's', tools: 't'};
				yield {type: 'usage', usage: {input: 1000, cacheRead: 0, cacheWrite: 0, output: 1000, reasoning: 0}};
				if (left > 0) {
					left -= 1;
					yield call('echo', {word: `${left}`}, `call-${left}`);
					yield finish('tool-calls');
				} else {
					yield text('Done.');
					yield finish('stop');
				}
			},
	};
}

const limits = (day?: number, today: ReadonlyMap<string, Spent> = new Map(), known: Price | undefined = price) => ({
	day: () => day,
	requestsToday: async () => today,
	loadPrices: async () => () => known,
});

const endOf = ({records}: ReturnType<typeof scripted>) =>
	records().findLast(({event}) => event.type === 'run-end')?.event;
const warnings = ({records}: ReturnType<typeof scripted>) =>
	records().flatMap(({event}) => (event.type === 'notice' ? [event.text] : []));

test('a session stops before the request that would pass its budget, and warns at 80%', async () => {
	const model = costly(20);
	const program = scripted([], {openModel: model.openModel, limits: limits()});
	program.conversation.setBudgets({session: 0.1});
	await program.conversation.send('Go.');
	expect(endOf(program)).toMatchObject({
		reason: 'budget',
		error: {
			code: 'budget',
			message: expect.stringMatching(
				/^The next request would pass the session budget of \$0\.100: \$0\.080 spent, about \$0\.0\d+ for this one\.$/,
			),
			hint: 'Raise it: `budget session <usd>` · Remove it: `budget off`',
		},
	});
	expect(model.asked()).toBe(4);
	expect(totalCost([...program.transcript().usage.values()], () => price)).toBeLessThanOrEqual(0.1);

	program.conversation.setBudgets({session: 0.3});
	await program.conversation.send('Go on.');
	expect(warnings(program)).toEqual([
		expect.stringMatching(/^8\d% of the session budget is used: \$0\.2\d0 of \$0\.300\.$/),
	]);
	expect(model.asked()).toBeGreaterThanOrEqual(12);
	expect(totalCost([...program.transcript().usage.values()], () => price)).toBeLessThanOrEqual(0.3);
	program.conversation.setBudgets({});
	await program.conversation.send('And on.');
	expect(endOf(program)).toMatchObject({reason: 'done'});
	expect(model.asked()).toBe(21);
});

test('a budget survives the resumption of its session, a fork, and another server', async () => {
	const model = costly();
	const program = scripted([], {openModel: model.openModel, limits: limits()});
	await program.conversation.send('One.');
	program.conversation.setBudgets({session: 0.03, turn: 5});
	const session = program.transcript().session;
	program.conversation.setBudgets({session: 0.03});
	const read = program.records().reduce(reduceTranscript, emptyTranscript(session));
	expect(read.budgets).toMatchObject({session: 0.03});
	expect(read.budgets.turn).toBe(undefined);

	const log = {
		append: () => undefined,
		flush: async () => undefined,
		settle: async () => undefined,
		close: async () => undefined,
	};
	const resumed = scripted([], {openModel: model.openModel, limits: limits(), newId: () => crypto.randomUUID()});
	await resumed.conversation.open(read, log);
	resumed.store.getState().setConnection({profile: 'two', server: 'https://two.example', state: 'ready'});
	await resumed.conversation.send('Two.');
	expect(model.asked()).toBe(1);
	expect(resumed.store.getState().transcript.usage.size).toBe(1);

	await program.conversation.fork();
	expect(program.transcript().budgets).toMatchObject({session: 0.03});
	await program.conversation.send('Three.');
	expect([model.asked(), endOf(program)]).toEqual([1, expect.objectContaining({reason: 'budget'})]);
});

test('a budget for one message begins again with the next one, and counts compactions', async () => {
	const model = costly(10);
	const program = scripted([], {openModel: model.openModel, limits: limits()});
	program.conversation.setBudgets({turn: 0.05});
	await program.conversation.send('One.');
	expect([model.asked(), endOf(program)]).toEqual([2, expect.objectContaining({reason: 'budget'})]);
	await program.conversation.send('Two.');
	expect([model.asked(), endOf(program)]).toEqual([4, expect.objectContaining({reason: 'budget'})]);
	program.conversation.setBudgets({session: 0.09});
	await program.conversation.compact();
	expect([model.asked(), program.transcript().compactions]).toEqual([4, 0]);
	expect(endOf(program)).toMatchObject({reason: 'budget', error: {message: expect.stringContaining('session budget')}});
});

test('the budget of a day counts all sessions, each request once', async () => {
	const usage = {input: 0, cacheRead: 0, cacheWrite: 0, output: 9000, reasoning: 0};
	const elsewhere = new Map([['m-other', {model: 'custom/demo', usage}]]);
	const model = costly();
	const program = scripted([], {
		...{openModel: model.openModel, limits: limits(0.15, elsewhere)},
		now: () => new Date().toISOString(),
	});
	await program.conversation.send('One.');
	await program.conversation.send('Two.');
	await program.conversation.send('Three.');
	expect(model.asked()).toBe(2);
	expect(endOf(program)).toMatchObject({error: {message: expect.stringContaining('budget for today of $0.150')}});
	expect(warnings(program)).toEqual([]);

	const written = new Map([...elsewhere, ...[...program.transcript().usage].slice(0, 1)]);
	const again = scripted([], {
		...{openModel: model.openModel, limits: limits(0.15, written)},
		now: () => new Date().toISOString(),
	});
	await again.conversation.open(program.transcript(), {
		...{
			append: () => undefined,
			flush: async () => undefined,
			settle: async () => undefined,
			close: async () => undefined,
		},
	});
	again.store.getState().setModel('custom/demo');
	await again.conversation.send('Four.');
	expect(model.asked()).toBe(2);
});

test('a provider that reports no tokens uses the budget up as well, by an estimate', async () => {
	const model = costly(200);
	const openModel = async () => {
		const ask = await model.openModel();
		return async function* () {
			for await (const event of ask()) {
				if (event.type !== 'usage') {
					yield event;
				}
			}
		};
	};
	const program = scripted([], {openModel, limits: limits()});
	program.conversation.setBudgets({session: 0.05});
	await program.conversation.send('Go.');
	expect(endOf(program)).toMatchObject({reason: 'budget'});
	const used = [...program.transcript().usage.values()];
	expect(used.map(({usage}) => usage.estimated)).toEqual(used.map(() => true));
	expect(used.length).toBe(model.asked());
	expect(totalCost(used, () => price)).toBeGreaterThan(0);

	const free = scripted([], {openModel, limits: limits()});
	await free.conversation.send('Go.');
	expect(free.transcript().usage.size).toBe(0);
});

test('a model whose price is unknown is warned of once a session, however many runs go on', async () => {
	const model = costly(2);
	const program = scripted([], {
		openModel: model.openModel,
		limits: {...limits(), loadPrices: async () => () => undefined},
	});
	const told = 'The price of custom/demo is unknown, so no budget can stop it.';
	program.conversation.setBudgets({session: 0.01});
	await program.conversation.send('Go.');
	expect([endOf(program), warnings(program)]).toEqual([expect.objectContaining({reason: 'done'}), [told]]);
	await program.conversation.send('Go on.');
	expect([endOf(program), warnings(program)]).toEqual([expect.objectContaining({reason: 'done'}), [told]]);
	await program.conversation.start();
	program.conversation.setBudgets({session: 0.01});
	await program.conversation.send('Go.');
	expect(warnings(program)).toEqual([told, told]);
});

test('the budget of a script stops before its second request would pass it', async () => {
	const model = costly(9);
	const program = scripted([], {
		openModel: model.openModel,
		limits: limits(),
		budget: {limitUsd: 0.05, loadPrices: async () => () => price},
	});
	await program.conversation.send('Go.');
	expect(model.asked()).toBe(2);
	expect(endOf(program)).toMatchObject({
		reason: 'budget',
		error: {hint: 'Continue with -c, or allow more with --budget.'},
	});
});

test('a script whose first request would pass its budget sends nothing, and is told what it would cost', async () => {
	const model = costly();
	const program = scripted([], {
		openModel: model.openModel,
		limits: limits(),
		budget: {limitUsd: 0.02, loadPrices: async () => () => price},
	});
	await program.conversation.send('Go.');
	expect(model.asked()).toBe(0);
	expect(endOf(program)).toMatchObject({
		reason: 'budget',
		error: {
			code: 'budget',
			message: expect.stringMatching(
				/^Nothing was sent: the request would cost about \$0\.0\d+, more than the budget of \$0\.02\.$/,
			),
			hint: 'Allow more with --budget, or select a cheaper model.',
		},
	});
	expect(program.transcript().usage.size).toBe(0);

	const unknown = scripted([], {
		openModel: model.openModel,
		limits: {...limits(), loadPrices: async () => () => undefined},
		budget: {limitUsd: 0.0001, loadPrices: async () => () => undefined},
	});
	await unknown.conversation.send('Go.');
	expect(model.asked()).toBe(1);
});

test('without a budget, the request of a message is made before the message is drawn', async () => {
	const undrawn: number[] = [];
	const {openModel} = costly();
	const program = scripted([], {
		limits: limits(),
		async openModel() {
			undrawn.push(program.records().length - 1 - program.transcript().seq);
			return openModel();
		},
	});
	await program.conversation.send('Go.');
	expect(undrawn).toEqual([2]);
	// With one, the requests so far must be counted first.
	program.conversation.setBudgets({session: 1});
	await program.conversation.send('Go on.');
	expect(undrawn).toEqual([2, 0]);
	expect(endOf(program)).toMatchObject({reason: 'done'});
});
