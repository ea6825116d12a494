import {expect, test} from 'vitest';
import {costFacts, watchesResult} from '../../../src/command/views/watch-view.ts';
import type {Transcript} from '../../../src/core/session/transcript.ts';
import {noUsage} from '../../../src/core/session/usage.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {drawn} from '../../commands/context.ts';

const limits = {every: 300_000, session: '', perHour: 1};
const used: Transcript['usage'] = new Map([
	['m1', {model: 'openai/x', current: true, at: '', usage: {...noUsage, input: 900_000}}],
	['m2', {model: 'openai/x', current: true, at: '', usage: {...noUsage, input: 30_000, output: 1000}}],
]);

test('the cost of a watch is shown as turns, and as the last request if its price is known', () => {
	const {model, transcript} = createAppStore().getState();
	const priced = {input: 1, cacheRead: 0.1, cacheWrite: 1, output: 10};
	expect(costFacts(limits, {model, transcript, priceOf: () => undefined})).toEqual([
		['limit', 'at most every 5 min and once an hour'],
		['model', 'none selected yet'],
	]);
	expect(
		costFacts(limits, {model: 'openai/x', transcript: {...transcript, usage: used}, priceOf: () => priced}),
	).toEqual([
		['limit', 'at most every 5 min and once an hour'],
		['model', 'openai/x'],
		['last request', 'cost $0.040; a turn makes one or more'],
	]);
});

test('only the turns of the last hour count, and a hostile condition is drawn safely [1]', () => {
	const watch = {number: 3, condition: 'a\u001B[2J', environment: '0b5e0a1c-9c1f', server: 's', every: 60_000};
	const turns = [Date.now() - 7_200_000, Date.now() - 60_000];
	const asking = {
		...watch,
		profile: 's',
		ask: 'Why?',
		session: '',
		perHour: 6,
		startedAt: 0,
		found: 1234,
		turns,
		state: 'live',
	};
	expect(drawn(watchesResult([asking]), 100).split('\n')).toEqual([
		'watch  environment  looks for  found  does                          log',
		'    3  0b5e0a1c     a␛[2J      1,234  asks, 1 of 6 turns this hour  live',
	]);
});

test('a watch without turns left says until when, also in a narrow window; one that is paused says so', () => {
	const watch = {number: 3, condition: 'a', environment: '0b5e0a1c-9c1f', server: 's', profile: 's', every: 60_000};
	const now = Date.now();
	const spent = {
		...watch,
		ask: 'Why?',
		session: '',
		perHour: 1,
		startedAt: 0,
		found: 7,
		turns: [now - 60_000],
		state: 'live',
	};
	const time = new Date(now + 3_540_000).toTimeString().slice(0, 5);
	expect(
		drawn(watchesResult([spent]), 60)
			.split('\n')
			.slice(-2)
			.join(' '),
	).toBe(`Watch 3 reached its limit of 1 agent turn an hour. It collects matches until ${time}.`);
});
