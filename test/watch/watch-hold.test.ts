import {expect, test} from 'vitest';
import type {LogSource} from '../../src/contract/log-cursor.ts';
import {readCondition} from '../../src/watch/watch-condition.ts';
import {server} from '../store/scripted-conversation.ts';
import {ended, environment, inLog, minute, watching} from './watching.ts';

test('a watch is on hold while the app is connected elsewhere, and reports its matches afterwards', async () => {
	const {begin, isOver, notices, store} = watching({
		log: [
			[10_000, 'error 1\n'],
			[20_000, 'error 2\n'],
		],
		end: 10 * minute,
	});
	const home = store.getState().connection;
	const state = () => store.getState().watches[0]?.state;
	// At once, before the clock jumps on.
	const leave = store.subscribe(({alert}) => {
		if (alert?.text === 'Watch 1 found 1 line.') {
			leave();
			setImmediate(() => store.getState().setConnection({profile: 'two', server, state: 'ready'}));
		}
	});
	begin();
	await expect.poll(state, {interval: 5}).toBe('on hold: connected elsewhere');
	await new Promise(resolve => setTimeout(resolve, 20));
	expect([state(), notices().length]).toEqual(['on hold: connected elsewhere', 2]);
	store.getState().setConnection(home);
	expect(state()).not.toContain('on hold');
	await isOver();
	expect(notices()).toEqual([
		`Watch 1: a line matches “error” ${inLog}: error 1`,
		'Watch 1 is paused: the app is connected to two.',
		`Watch 1: a line matches “error” ${inLog}: error 2`,
		ended,
	]);
});

test('a watch on hold sends no request and no prompt, and can be stopped', async () => {
	let asked = 0;
	const here = watching({log: [[1, 'error 1\n']], end: Number.POSITIVE_INFINITY, ask: 'What is it?'});
	const source: LogSource = async () => {
		asked++;
		if (asked === 1) {
			const elsewhere = {profile: 'two', server: 'https://two.example', state: 'ready'} as const;
			setImmediate(() => here.store.getState().setConnection(elsewhere));
		}

		return {kind: 'window', text: asked === 1 ? '' : 'error 1\n'};
	};
	const {number} = here.watches.start({
		...{condition: readCondition('error'), source, environment, server, profile: 'one'},
		...{every: minute, ask: 'What is it?', perHour: 6},
	});
	await expect.poll(here.notices, {interval: 5}).toHaveLength(1);
	await new Promise(resolve => setTimeout(resolve, 20));
	expect([asked <= 2, here.prompts()]).toEqual([true, []]);
	expect([here.watches.stop(number)?.number, here.watches.stop(number)]).toEqual([1, undefined]);
	expect(here.notices()).toEqual(['Watch 1 is paused: the app is connected to two.']);
});
