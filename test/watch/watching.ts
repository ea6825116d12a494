import {expect, onTestFinished} from 'vitest';
import type {LogSource} from '../../src/contract/log-cursor.ts';
import {defaultLimits} from '../../src/core/caps.ts';
import {createNotifier} from '../../src/watch/notifier.ts';
import {readCondition} from '../../src/watch/watch-condition.ts';
import {createWatches} from '../../src/watch/watch-list.ts';
import {finish, type Script, text} from '../agent/scripted.ts';
import {jumpingClock, notFound} from '../logs/tail-script.ts';
import {scripted, server} from '../store/scripted-conversation.ts';

export const environment = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
export const minute = 60_000;
export const answer: Script = [text('Noted.'), finish('stop')];

type Options = {
	/** What the log gets, in lines, at which time. */
	readonly log: readonly (readonly [at: number, text: string])[];
	/** When the environment is gone. */
	readonly end: number;
	readonly fault?: Error;
	readonly condition?: string;
	readonly ask?: string;
	readonly perHour?: number;
	readonly every?: number;
	readonly scripts?: readonly Script[];
	/** Most turns of the agent until the user sends a message. */
	readonly turns?: number;
	/** When the clock is set back by an hour. */
	readonly setBackAt?: number;
};

/** A watch of a log that grows as told and then ends, on a clock that jumps. */
export function watching({
	log,
	end,
	fault = notFound,
	condition = 'error',
	ask,
	perHour = 6,
	every = minute,
	scripts,
	turns = defaultLimits.turns,
	setBackAt = Number.POSITIVE_INFINITY,
}: Options) {
	const time = jumpingClock();
	const clock = {...time, now: () => time.now() - (time.now() < setBackAt ? 0 : 60 * minute)};
	const here = scripted(scripts ?? [answer], {capLimits: async () => ({...defaultLimits, turns})});
	const notifier = createNotifier(here.store, here.conversation.notice);
	const watches = createWatches({store: here.store, conversation: () => here.conversation, notifier, clock});
	onTestFinished(() => watches.close());
	const source: LogSource = async ({after = 0}) => {
		if (time.now() >= end) {
			throw fault;
		}

		const text = log.flatMap(([at, lines]) => (at <= time.now() ? [lines] : [])).join('');
		const kind = 'window' as const;
		return {kind, text: Buffer.from(text).subarray(after).toString(), start: after, offset: Buffer.byteLength(text)};
	};
	const begin = () =>
		watches.start({
			condition: readCondition(condition),
			source,
			environment,
			server,
			profile: 'one',
			every,
			ask,
			perHour,
		});
	const isOver = () => expect.poll(() => here.store.getState().watches, {interval: 5}).toEqual([]);
	const notices = () => here.records().flatMap(({event}) => (event.type === 'notice' ? [event.text] : []));
	const prompts = () => here.records().flatMap(({event}) => (event.type === 'user-message' ? [event.text] : []));
	return {...here, watches, begin, isOver, notices, prompts, clock};
}

export const ended = 'Watch 1 ended: the environment is gone.';
export const inLog = 'in the log of 0b5e0a1c';
